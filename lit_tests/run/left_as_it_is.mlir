// Ops that normalizing must leave as they are, or write anew with care (transforms/normalize/).
// Sums that are written where others are, too, are no loops for threads.
// RUN: tune-run %s --function=scattered --db= --strict --threads=2 --time=0.01 | FileCheck %s
// A result along a diagonal is no line of pixels.
// RUN: tune-run %s --function=diagonal --db= --strict --time=0.01 | FileCheck %s
// The 1 that a depthwise convolution leaves is not folded away.
// RUN: tune-run %s --function=folded --db= --strict --time=0.01 | FileCheck %s
// What the second of two sums begins with was rounded to bf16.
// RUN: tune-run %s --function=rounded --db= --strict --time=0.01 | FileCheck %s
// A product without sums stays with the convolution that it scales.
// RUN: tune-run %s --function=scaled --db= --strict --time=0.01 | FileCheck %s --check-prefixes=ONE,CHECK
// ONE: 1 task
// CHECK: Check {{ *}}ok
func.func @scattered(%x: tensor<64x4x1x2xf32>, %w: tensor<3x4xf32>, %i: tensor<66x1x2xf32>) -> tensor<66x1x2xf32> {
  %r = linalg.generic {indexing_maps=[affine_map<(i,j,c,p,q)->(i,c,p,q)>,affine_map<(i,j,c,p,q)->(j,c)>,affine_map<(i,j,c,p,q)->(i+j,p,q)>],iterator_types=["reduction","reduction","reduction","parallel","parallel"]} ins(%x,%w:tensor<64x4x1x2xf32>,tensor<3x4xf32>) outs(%i:tensor<66x1x2xf32>) {
  ^bb0(%a:f32,%b:f32,%o:f32):
  %m = arith.mulf %a,%b:f32
  %s = arith.addf %o,%m:f32
  linalg.yield %s:f32 } -> tensor<66x1x2xf32>
  return %r:tensor<66x1x2xf32>
}
func.func @diagonal(%a: tensor<5xf32>, %b: tensor<5x4x3xf32>, %i: tensor<3x4x3xf32>) -> tensor<3x4x3xf32> {
  %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(k)>,affine_map<(i,j,k)->(k,j,i)>,affine_map<(i,j,k)->(i,j,i)>],iterator_types=["parallel","parallel","reduction"]} ins(%a,%b:tensor<5xf32>,tensor<5x4x3xf32>) outs(%i:tensor<3x4x3xf32>) {
  ^bb0(%x:f32,%y:f32,%o:f32):
  %m = arith.mulf %x,%y:f32
  %s = arith.addf %o,%m:f32
  linalg.yield %s:f32 } -> tensor<3x4x3xf32>
  return %r:tensor<3x4x3xf32>
}
func.func @folded(%x: tensor<2x5x6x6xf32>, %w: tensor<3x3x5x1xf32>, %w2: tensor<1x1x1x8xf32>, %e2: tensor<8x8x4x5xf32>) -> tensor<8x8x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<2x6x6x5xf32>
  %t = linalg.transpose ins(%x : tensor<2x5x6x6xf32>) outs(%te : tensor<2x6x6x5xf32>) permutation = [0, 2, 3, 1]
  %e = tensor.empty() : tensor<2x4x4x5x1xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x4x5x1xf32>) -> tensor<2x4x4x5x1xf32>
  %d = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%t, %w : tensor<2x6x6x5xf32>, tensor<3x3x5x1xf32>) outs(%i : tensor<2x4x4x5x1xf32>) -> tensor<2x4x4x5x1xf32>
  %c = tensor.collapse_shape %d [[0, 1], [2], [3], [4]] : tensor<2x4x4x5x1xf32> into tensor<8x4x5x1xf32>
  %e3 = tensor.empty() : tensor<8x4x5x8xf32>
  %i3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<8x4x5x8xf32>) -> tensor<8x4x5x8xf32>
  %p = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%c, %w2 : tensor<8x4x5x1xf32>, tensor<1x1x1x8xf32>) outs(%i3 : tensor<8x4x5x8xf32>) -> tensor<8x4x5x8xf32>
  %r = linalg.transpose ins(%p : tensor<8x4x5x8xf32>) outs(%e2 : tensor<8x8x4x5xf32>) permutation = [0, 3, 1, 2]
  return %r : tensor<8x8x4x5xf32>
}
func.func @rounded(%a: tensor<2x4x3xf32>) -> tensor<2xf32> {
  %z = arith.constant 0.0:f32
  %c = arith.constant 0.1:f32
  %t = arith.truncf %c:f32 to bf16
  %o = arith.extf %t:bf16 to f32
  %e = tensor.empty():tensor<2x4xf32>
  %i = linalg.fill ins(%z:f32) outs(%e:tensor<2x4xf32>)->tensor<2x4xf32>
  %r = linalg.reduce ins(%a:tensor<2x4x3xf32>) outs(%i:tensor<2x4xf32>) dimensions=[2]
  (%x:f32,%y:f32) { %s = arith.addf %x,%y:f32 linalg.yield %s:f32 }
  %e2 = tensor.empty():tensor<2xf32>
  %i2 = linalg.fill ins(%o:f32) outs(%e2:tensor<2xf32>)->tensor<2xf32>
  %r2 = linalg.reduce ins(%r:tensor<2x4xf32>) outs(%i2:tensor<2xf32>) dimensions=[1]
  (%x:f32,%y:f32) { %s = arith.addf %x,%y:f32 linalg.yield %s:f32 }
  return %r2:tensor<2xf32>
}
func.func @scaled(%x: tensor<1x8x16x16xf32>, %w: tensor<24x8x3x3xf32>, %g: tensor<24xf32>, %res: tensor<1x24x14x14xf32>) -> tensor<1x24x14x14xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x24x14x14xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x14x14xf32>) -> tensor<1x24x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x16x16xf32>, tensor<24x8x3x3xf32>) outs(%i : tensor<1x24x14x14xf32>) -> tensor<1x24x14x14xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>,affine_map<(a,b,c,d)->(b)>,affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types=["parallel","parallel","parallel","parallel"]} ins(%r,%g : tensor<1x24x14x14xf32>,tensor<24xf32>) outs(%res : tensor<1x24x14x14xf32>) {
   ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x24x14x14xf32>
  return %q : tensor<1x24x14x14xf32>
}
