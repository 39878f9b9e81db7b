// A convolution that is tuned as a product over pixels has the task of another op there: what was chosen
// on it is left out of a script for stock mlir-opt all the same.
// RUN: tune-opt %s --tune-annotate=target=null -o %t.annotated.mlir
// RUN: tune-opt %t.annotated.mlir --tune-export-schedule=target=null -o %t.script.mlir 2>&1 | FileCheck %s
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o /dev/null
// CHECK: warning: some ops of this module are tuned in another form
func.func @main(%x: tensor<2x16x14x14xf32>, %w: tensor<40x16x1x1xf32>, %b: tensor<2x40x14x14xf32>, %x2: tensor<2x16x196xf32>, %w2: tensor<40x16xf32>, %b2: tensor<2x40x196xf32>) -> (tensor<2x40x14x14xf32>, tensor<2x40x196xf32>) {
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x16x14x14xf32>, tensor<40x16x1x1xf32>) outs(%b : tensor<2x40x14x14xf32>) -> tensor<2x40x14x14xf32>
  %q = linalg.generic {indexing_maps=[affine_map<(n,f,p,c)->(n,c,p)>,affine_map<(n,f,p,c)->(f,c)>,affine_map<(n,f,p,c)->(n,f,p)>],iterator_types=["parallel","parallel","parallel","reduction"]} ins(%x2,%w2:tensor<2x16x196xf32>,tensor<40x16xf32>) outs(%b2:tensor<2x40x196xf32>) {
  ^bb0(%a:f32,%c:f32,%o:f32):
    %m = arith.mulf %a,%c:f32
    %s = arith.addf %o,%m:f32
    linalg.yield %s:f32 } -> tensor<2x40x196xf32>
  return %r,%q : tensor<2x40x14x14xf32>,tensor<2x40x196xf32>
}
