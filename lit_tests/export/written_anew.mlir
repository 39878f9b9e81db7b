// What is written anew before tasks are made is not in a script of stock ops: a warning says that mlir-opt finds
// other ops. It is there only where something is.
// RUN: tune-opt %s --tune-export-schedule -o %t.script.mlir 2>&1 | FileCheck %s
// CHECK: warning: stock mlir-opt cannot replay this script: {{.*}}; tune-lower=until=schedule gives what it would make
// RUN: not mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o /dev/null
// RUN: tune-opt %s --tune-lower=until=schedule -o /dev/null
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
