// A constant that is written into a sum is added in each of its steps, though no step reads anything:
// the divisors of average pooling come so. Only rules that take all nests are for it.
// RUN: tune-run %s --function=pool --db= --strict --check --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=pool --db= --strict --check --time=0.001 --target=cpu:x86-64-v3 --threads=2 | FileCheck %s
// RUN: tune-run %s --function=rows --db= --strict --check --time=0.001 | FileCheck %s
// CHECK: Check {{ *}}ok
// RUN: tune-opt %s --tune-print-space="target=vulkan:generic" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: sum_pool 3x7x4 over 5
// DEVICE-NEXT: rule 'gpu_general'
func.func @pool() -> tensor<3x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<3x21x4xf32>
  %e = tensor.empty() : tensor<3x7x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
  %w = tensor.empty() : tensor<5xf32>
  %r = linalg.pooling_nwc_sum {strides = dense<[2]> : tensor<1xi64>, dilations = dense<[2]> : tensor<1xi64>}
      ins(%half, %w : tensor<3x21x4xf32>, tensor<5xf32>) outs(%f : tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
  return %r : tensor<3x7x4xf32>
}
func.func @rows(%x: tensor<16xf32>) -> tensor<16xf32> {
  %half = arith.constant dense<0.5> : tensor<16x33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%half : tensor<16x33xf32>) outs(%x : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
