// The schedule in docs/tune-annotate.md can be searched, run, and exported, as the page says.
// RUN: sed -n '/^module attributes.*tune.for = ."contraction"/,/^}/p' %S/../../docs/tune-annotate.md > %t.schedule.mlir
// RUN: tune-opt %s --tune-search="grid trials=4 finalists=0 schedule=%t.schedule.mlir" -o %t.tuned.mlir 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: tune-run %t.tuned.mlir --schedule=%t.schedule.mlir --time=0.01 | FileCheck %s --check-prefix=RAN
// RUN: tune-opt --tune-export-schedule="schedule=%t.schedule.mlir" %t.tuned.mlir -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter | FileCheck %s --check-prefix=REPLAYED
// SEARCH: tune-search: 4 trials, 4 of them new, 0 failed
// RAN: 1 task (by choices)
// RAN: Check ok
// REPLAYED: vector.transfer_read
func.func @main(%a: tensor<16x24xf32>, %b: tensor<24x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<16x64xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<16x24xf32>, tensor<24x64xf32>)
      outs(%1 : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %2 : tensor<16x64xf32>
}
