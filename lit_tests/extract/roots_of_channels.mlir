// RUN: tune-opt --tune-extract %s | FileCheck %s
// RUN: tune-run %s --db= --time=0.001 | FileCheck %s --check-prefix=RIGHT
// The root of a variance, one a channel, is not computed again for each pixel of the product that it
// scales; a sum that is cheap stays in its task.
// RUN: tune-opt --tune-extract %s | grep -c "tune.task =" | FileCheck %s --check-prefix=COUNT
// COUNT: 2
// CHECK-LABEL: func.func private @tune_task_0(
// CHECK: math.rsqrt
// CHECK-LABEL: func.func private @tune_task_1(
// CHECK: tune.anchor
// CHECK: arith.addf
// CHECK-NOT: math.rsqrt
// RIGHT: Check {{ *}}ok
#channel = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%w: tensor<32x16xf32>, %x: tensor<16x64xf32>, %variance: tensor<32xf32>,
                %a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %small = arith.constant 1.0e-5 : f32
  %empty = tensor.empty() : tensor<32x64xf32>
  %channels = tensor.empty() : tensor<32xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x64xf32>) -> tensor<32x64xf32>
  %product = linalg.matmul ins(%w, %x : tensor<32x16xf32>, tensor<16x64xf32>)
      outs(%filled : tensor<32x64xf32>) -> tensor<32x64xf32>
  %root = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%variance : tensor<32xf32>) outs(%channels : tensor<32xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %small : f32
    %r = math.rsqrt %s : f32
    linalg.yield %r : f32
  } -> tensor<32xf32>
  %offset = linalg.add ins(%a, %b : tensor<32xf32>, tensor<32xf32>) outs(%channels : tensor<32xf32>) -> tensor<32xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #channel, #channel, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product, %root, %offset : tensor<32x64xf32>, tensor<32xf32>, tensor<32xf32>) outs(%empty : tensor<32x64xf32>) {
  ^bb0(%p: f32, %r: f32, %c: f32, %o: f32):
    %m = arith.mulf %p, %r : f32
    %s = arith.addf %m, %c : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  return %scaled : tensor<32x64xf32>
}
