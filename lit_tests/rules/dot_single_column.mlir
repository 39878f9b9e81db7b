// Columns of which one is left over when vectors are full, as of GPT-2's 50257 words: still dot products.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-print-space="target=cpu:znver4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE-COUNT-3: rule 'dot_contraction'
// A batch's kernel has loops folded: not there.
// SPACE: batch_matmul
// SPACE-NOT: rule 'dot_contraction'
// RUN: tune-run %s --function=bytes --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=bytes --db= --strict --check --time=0.001 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=lines --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=halves --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=batch --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#lines = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @bytes(%a: tensor<7x67xi8>, %w: tensor<67x113xi8>) -> tensor<7x113xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<7x113xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<7x113xi32>) -> tensor<7x113xi32>
  %2 = linalg.matmul ins(%a, %w : tensor<7x67xi8>, tensor<67x113xi8>) outs(%1 : tensor<7x113xi32>) -> tensor<7x113xi32>
  return %2 : tensor<7x113xi32>
}
// Weights by lines, and what follows.
func.func @lines(%a: tensor<7x67xi8>, %w: tensor<113x67xi8> {tune.constant}) -> tensor<7x113xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<7x113xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<7x113xi32>) -> tensor<7x113xi32>
  %2 = linalg.matmul indexing_maps = [#rows, #lines, #out] ins(%a, %w : tensor<7x67xi8>, tensor<113x67xi8>) outs(%1 : tensor<7x113xi32>) -> tensor<7x113xi32>
  %3 = linalg.add ins(%2, %2 : tensor<7x113xi32>, tensor<7x113xi32>) outs(%0 : tensor<7x113xi32>) -> tensor<7x113xi32>
  return %3 : tensor<7x113xi32>
}
func.func @halves(%a: tensor<7x67xbf16>, %w: tensor<67x113xbf16>) -> tensor<7x113xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<7x113xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<7x113xf32>) -> tensor<7x113xf32>
  %2 = linalg.matmul ins(%a, %w : tensor<7x67xbf16>, tensor<67x113xbf16>) outs(%1 : tensor<7x113xf32>) -> tensor<7x113xf32>
  return %2 : tensor<7x113xf32>
}
func.func @batch(%a: tensor<3x7x67xi8>, %w: tensor<3x67x113xi8>) -> tensor<3x7x113xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<3x7x113xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<3x7x113xi32>) -> tensor<3x7x113xi32>
  %2 = linalg.batch_matmul ins(%a, %w : tensor<3x7x67xi8>, tensor<3x67x113xi8>) outs(%1 : tensor<3x7x113xi32>) -> tensor<3x7x113xi32>
  return %2 : tensor<3x7x113xi32>
}
