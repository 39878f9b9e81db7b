// A knob that only threads have, chosen with two: told where the code is for one.
// RUN: tune-opt %s --tune-lower="threads=2" | FileCheck %s
// CHECK: omp.wsloop
// RUN: not tune-opt %s --tune-lower 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: threads.mlir:[[#@LINE+8]]:8: error: tune.choices: no knob "split_k"; the knobs are mc,
// ONE: note: {{.*}} for target cpu and 1 thread; {{.*}} another number of threads needs that number: threads=<n>
// RUN: not tune-run %s --db= 2>&1 | FileCheck %s --check-prefix=ONE

func.func @main(%a: tensor<16x4096xf32>, %b: tensor<4096x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = linalg.matmul {tune.choices = {split_k = "threads"}}
    ins(%a, %b : tensor<16x4096xf32>, tensor<4096x16xf32>)
    outs(%fill : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
