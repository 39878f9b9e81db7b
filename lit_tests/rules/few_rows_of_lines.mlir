// Two rows by weights as PyTorch keeps them, which are turned ahead: on 16 registers four vectors of columns, as by weights
// that are not turned, since of two fewer sums would be waited for. Without `tune.constant` lines are multiplied with lines.
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3 task=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: nr{{ +}}vector{{ +}}32{{ }}
// RUN: sed 's/ {tune.constant}//' %s | tune-opt --tune-print-space="target=cpu:x86-64-v3 task=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EACH
// EACH: rule 'general'
// RUN: tune-run %s --db= --strict --check --time=0.001 --target=cpu:x86-64-v3 | FileCheck %s
// CHECK: Check {{ *}}ok
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#lines = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%a: tensor<2x100xf32>, %w: tensor<768x100xf32> {tune.constant}) -> tensor<2x768xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x768xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x768xf32>) -> tensor<2x768xf32>
  %2 = linalg.matmul indexing_maps = [#rows, #lines, #out] ins(%a, %w : tensor<2x100xf32>, tensor<768x100xf32>) outs(%1 : tensor<2x768xf32>) -> tensor<2x768xf32>
  return %2 : tensor<2x768xf32>
}
