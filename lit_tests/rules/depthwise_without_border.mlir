// Where no border is added a plane of windows takes no longer to build than with one: it is done
// within the limit, which is many times of what it takes.
// REQUIRES: nightly || !asan
// RUN: tune-run %s --db= --strict --check --time=0.01 --build-time=30 | FileCheck %s
// RUN: tune-run %s --db= --strict --check --time=0.01 --build-time=30 --config=tile_shape=planes | FileCheck %s
// RUN: tune-run %s --function=main --target=cpu:x86-64-v3 --db= --strict --check --time=0.01 --build-time=30 | FileCheck %s
// CHECK: Check {{.*}}ok
func.func @main(%x: tensor<1x18x18x32xf32>, %f: tensor<3x3x32xf32>) -> tensor<1x16x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x16x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %f : tensor<1x18x18x32xf32>, tensor<3x3x32xf32>) outs(%start : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
  return %c : tensor<1x16x16x32xf32>
}
