// What one thread has done before others would have begun is not shared.
// RUN: sed 's/CHANNELS/368/g' %s > %t.small.mlir
// RUN: tune-opt %t.small.mlir --tune-lower="threads=2" | FileCheck %s --implicit-check-not=omp.parallel
// RUN: sed 's/CHANNELS/16384/g' %s > %t.large.mlir
// RUN: tune-opt %t.large.mlir --tune-lower="threads=2" | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: tune-run %t.small.mlir --db= --threads=2 --strict --check --time=0.01 | FileCheck %s --check-prefix=RAN
// CHECK: llvm.func @tune_task_0
// SHARED: omp.parallel
// RAN: Check {{ *}}ok

func.func @main(%image: tensor<7x7xCHANNELSxf32>) -> tensor<CHANNELSxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<CHANNELSxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<CHANNELSxf32>) -> tensor<CHANNELSxf32>
  %sums = linalg.reduce {arith.addf} ins(%image : tensor<7x7xCHANNELSxf32>) outs(%init : tensor<CHANNELSxf32>)
      dimensions = [0, 1]
  return %sums : tensor<CHANNELSxf32>
}
