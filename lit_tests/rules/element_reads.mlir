// A kernel that takes three of the depth at a time reads them one by one: a vector of three is
// shuffled apart beside the multiply-adds, where broadcasts from memory take no unit of theirs.
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | FileCheck %s --implicit-check-not='vector<3xf32>'
// RUN: tune-run %s --db= --time=0.01 | FileCheck %s --check-prefix=CORRECT
// CHECK: %[[X:.*]] = memref.load %{{.*}} : memref<15x15x3xf32>
// CHECK: vector.broadcast %[[X]] : f32 to vector<32xf32>
// CORRECT: Check {{ *}}ok
func.func @stem(%x: tensor<1x15x15x3xf32>, %w: tensor<3x3x3x32xf32>) -> tensor<1x7x7x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x7x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<1x15x15x3xf32>, tensor<3x3x3x32xf32>) outs(%f : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  return %y : tensor<1x7x7x32xf32>
}
