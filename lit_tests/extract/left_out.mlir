// What normalizing (transforms/normalize/) is not to touch: tensors with an encoding, and zeroes that
// are made of a product's result in a block that stands later than the one that reads them.
// RUN: tune-opt %s --tune-extract -o %t.tasks.mlir 2>&1 | FileCheck %s
// CHECK: linalg.generic is not tuned: an operand has a sparse or other special encoding
#sp = #sparse_tensor.encoding<{map=(d0,d1)->(d0:dense,d1:compressed)}>
func.func @sparse(%a: tensor<1x9xf32, #sp>, %w: tensor<3xf32>, %i: tensor<1xf32>) -> tensor<1xf32> {
  %r = linalg.generic {indexing_maps=[affine_map<(d0,d1)->(0,d0+d1)>,affine_map<(d0,d1)->(d1)>,affine_map<(d0,d1)->(d0)>],iterator_types=["parallel","reduction"]} ins(%a,%w:tensor<1x9xf32, #sp>,tensor<3xf32>) outs(%i:tensor<1xf32>) {
  ^bb0(%x:f32,%y:f32,%o:f32):
  %m = arith.mulf %x,%y:f32
  %s = arith.addf %o,%m:f32
  linalg.yield %s:f32 } -> tensor<1xf32>
  return %r:tensor<1xf32>
}
func.func @apart(%x: tensor<1x3x3x2xf32>, %w: tensor<2x2x2x3xf32>, %a: tensor<36x4xf32>,%b: tensor<4x2xf32>) -> tensor<1x5x5x3xf32> {
  cf.br ^bb1
^bb2:
  %s = tensor.insert_slice %x into %zz[0,0,0,0][1,3,3,2][1,2,2,1]:tensor<1x3x3x2xf32> into tensor<1x6x6x2xf32>
  %e = tensor.empty():tensor<1x5x5x3xf32>
  %z = arith.constant 0.0:f32
  %i = linalg.fill ins(%z:f32) outs(%e:tensor<1x5x5x3xf32>)->tensor<1x5x5x3xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%s,%w:tensor<1x6x6x2xf32>,tensor<2x2x2x3xf32>) outs(%i:tensor<1x5x5x3xf32>)->tensor<1x5x5x3xf32>
  return %r:tensor<1x5x5x3xf32>
^bb1:
  %z1 = arith.constant 0.0:f32
  %c6 = tensor.empty():tensor<36x2xf32>
  %i1 = linalg.fill ins(%z1:f32) outs(%c6:tensor<36x2xf32>)->tensor<36x2xf32>
  %ze = tensor.empty():tensor<1x6x6x2xf32>
  %pp = linalg.generic {indexing_maps=[affine_map<(a,b,c,d,k)->(a*36+b*6+c,k)>,affine_map<(a,b,c,d,k)->(k,d)>,affine_map<(a,b,c,d,k)->(a,b,c,d)>],iterator_types=["parallel","parallel","parallel","parallel","reduction"]} ins(%a,%b:tensor<36x4xf32>,tensor<4x2xf32>) outs(%ze:tensor<1x6x6x2xf32>) {
  ^bb0(%q:f32,%p:f32,%o:f32):
  %m = arith.mulf %q,%p:f32
  %ss = arith.addf %o,%m:f32
  linalg.yield %ss:f32 } -> tensor<1x6x6x2xf32>
  %zz = linalg.generic {indexing_maps=[affine_map<(a,b,c,d)->(a,b,c,d)>],iterator_types=["parallel","parallel","parallel","parallel"]} outs(%pp:tensor<1x6x6x2xf32>) {
  ^bb0(%o:f32):
  linalg.yield %z1:f32 } -> tensor<1x6x6x2xf32>
  cf.br ^bb2
}
