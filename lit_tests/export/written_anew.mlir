// What is written anew before tasks are made has its stock form in an exported script, which mlir-opt replays: a
// warning says so, but of a module that a search has marked. It is there only where something is.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir 2>&1 | FileCheck %s
// CHECK: warning: some ops of this module are tuned in another form
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o /dev/null
// RUN: tune-opt %s --tune-search="random stock trials=2 target=null db=%t.db" -o %t.tuned.mlir
// RUN: grep "module attributes {.*tune.stock" %t.tuned.mlir
// RUN: tune-opt %t.tuned.mlir --tune-export-schedule=target=null -o %t.script.mlir 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %t.tuned.mlir --tune-lower="target=null until=schedule" | sed 's/ attributes {tune.stock}//' | cmp - %t.mlir
// What was chosen for the other form is left out, and does not keep the rest from being exported.
// RUN: tune-opt %s --tune-search="random trials=2 target=null db=%t.db" -o %t.other.mlir
// RUN: grep "tune.choices" %t.other.mlir
// RUN: tune-opt %t.other.mlir --tune-export-schedule=target=null -o %t.script.mlir 2>&1 | FileCheck %s
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o /dev/null
// RUN: tune-opt %S/matmul.mlir --tune-export-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: warning

func.func @all(%x: tensor<64x48xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<48xf32>) -> tensor<48xf32>
  %r0 = linalg.reduce ins(%x : tensor<64x48xf32>) outs(%f0 : tensor<48xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %r1 = linalg.reduce ins(%r0 : tensor<48xf32>) outs(%f1 : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r1 : tensor<f32>
}
