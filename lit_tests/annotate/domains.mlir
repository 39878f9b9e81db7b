// What can be decided about each task is written onto its op; nothing else changes.
// RUN: tune-opt %s --tune-annotate="target=null schedule=%S/Inputs/tiles.mlir" | FileCheck %s
// RUN: tune-opt %s --tune-annotate="target=null schedule=%S/Inputs/tiles.mlir" --mlir-print-op-generic | sed 's/ {tune.choices = {[^}]*}}//' > %t.without
// RUN: tune-opt %s --mlir-print-op-generic | diff - %t.without
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(tune-annotate{target=null schedule=%S/Inputs/tiles.mlir})' | FileCheck %s

// Twice the same task: both ops carry the domains of their knobs. A number without a kind of its own
// is an alternative.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: linalg.matmul {tune.choices = {level = #tune.alternative<["2", "3"]>, mc = #tune.tile<[8, 16, 32]>, nc = #tune.tile<[8, 16, 32]>, order = #tune.alternative<["rows", "columns"]>}}
func.func @twice(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<32x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// The schedule is for contractions; a rule makes the space of the rest.
// CHECK-LABEL: func.func @reduction
// CHECK: linalg.reduce {{.*}}{tune.choices = {{{.*}}partial = #tune.alternative<
func.func @reduction(%a: tensor<64x64xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.reduce ins(%a : tensor<64x64xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %sum = arith.addf %x, %y : f32
      linalg.yield %sum : f32
    }
  return %0 : tensor<64xf32>
}
