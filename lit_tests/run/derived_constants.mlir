// What one task makes of constants alone is a constant to the task that reads it: a filter that is
// turned is packed ahead of the calls as well. Two calls with the same constants have it once.
// RUN: tune-run %s --function=turned --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,AHEAD
// RUN: tune-run %s --function=turned --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=twice --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,AHEAD
// OK: Check {{ *}}ok
// AHEAD: Packed ahead
// RUN: tune-opt %s --tune-extract -o - | FileCheck %s --check-prefix=MARK
// MARK: func.func private @tune_task_1(%arg0: tensor<37x64xf32>, %arg1: tensor<64x96xf32> {tune.constant}
// Of what depends on more than constants nothing is.
// MARK: func.func private @tune_task_3(%arg0: tensor<37x64xf32>, %arg1: tensor<64x96xf32>, %arg2
// RUN: tune-run %s --function=not --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=twice --db= --emit=llvm -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=ONCE
// ONCE-LABEL: define {{.*}}@tune_prepack(
// ONCE: @_mlir_memref_to_llvm_alloc(
// ONCE-NOT: @_mlir_memref_to_llvm_alloc(
// ONCE: ret ptr
// Unless the memory that they are in is filled anew in between.
// RUN: tune-run %s --function=anew --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
func.func @turned(%a: tensor<37x64xf32>, %w: tensor<64x96xf32> {tune.constant}) -> tensor<37x96xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<64x96xf32>
  %e = linalg.exp ins(%w : tensor<64x96xf32>) outs(%k : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.matmul ins(%a, %e : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  return %2 : tensor<37x96xf32>
}
func.func @not(%a: tensor<37x64xf32>, %w: tensor<64x96xf32> {tune.constant}, %b: tensor<64x96xf32>) -> tensor<37x96xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<64x96xf32>
  %s = linalg.add ins(%w, %b : tensor<64x96xf32>, tensor<64x96xf32>) outs(%k : tensor<64x96xf32>) -> tensor<64x96xf32>
  %e = linalg.exp ins(%s : tensor<64x96xf32>) outs(%k : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.matmul ins(%a, %e : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  return %2 : tensor<37x96xf32>
}
func.func @twice(%a: tensor<37x64xf32>, %b: tensor<37x64xf32>, %w: tensor<64x96xf32> {tune.constant}) -> (tensor<37x96xf32>, tensor<37x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.matmul ins(%a, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %3 = linalg.matmul ins(%b, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  return %2, %3 : tensor<37x96xf32>, tensor<37x96xf32>
}
func.func @anew(%a: tensor<64x64xf32>, %w: tensor<64x64xf32> {tune.constant}, %v: tensor<64x64xf32> {tune.constant}) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.exp ins(%w : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%v, %q : tensor<64x64xf32>, tensor<64x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q2 = linalg.matmul ins(%v, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%q : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o1 = linalg.matmul ins(%v, %q2 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o2 = linalg.matmul ins(%a, %r : tensor<64x64xf32>, tensor<64x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %o1, %o2 : tensor<64x64xf32>, tensor<64x64xf32>
}
