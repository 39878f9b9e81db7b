// Convolutions with a stride whose output is one pixel: the image is cut to what is read of it, so that
// what upstream's folding leaves verifies, and the rest of the module is tuned as well.
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK: remark: task 0: matvec 32x144 f32
// CHECK: remark: task 1: matmul 64x64x64 f32
// CHECK: remark: task 2: matmul 8x32x16 f32
// CHECK: tensor.extract_slice {{.*}} : tensor<1x4x4x16xf32> to tensor<3x3x16xf32>
// RUN: tune-run %s --function=one_pixel --db= | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=a_pixel_each --db= | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// RUN: tune-opt %s --tune-lower -o - | FileCheck %s --check-prefix=LOWER
// LOWER-NOT: linalg.
// LOWER: @one_pixel

func.func @one_pixel(%i: tensor<1x4x4x16xf32>, %f: tensor<3x3x16x32xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<1x1x1x32xf32>, tensor<64x64xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x1x32xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x1x32xf32>) -> tensor<1x1x1x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%i, %f : tensor<1x4x4x16xf32>, tensor<3x3x16x32xf32>) outs(%o : tensor<1x1x1x32xf32>) -> tensor<1x1x1x32xf32>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %o2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r, %m : tensor<1x1x1x32xf32>, tensor<64x64xf32>
}

func.func @a_pixel_each(%i: tensor<8x2x2x16xf32>, %f: tensor<1x1x16x32xf32>) -> tensor<8x1x1x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x1x1x32xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<8x1x1x32xf32>) -> tensor<8x1x1x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%i, %f : tensor<8x2x2x16xf32>, tensor<1x1x16x32xf32>) outs(%o : tensor<8x1x1x32xf32>) -> tensor<8x1x1x32xf32>
  return %r : tensor<8x1x1x32xf32>
}
