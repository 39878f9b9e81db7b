// What the user chose stands; of the database counts what goes with it.
// RUN: rm -f %t.db
// RUN: tune-db import --db=%t.db %S/Inputs/records.jsonl
// RUN: split-file %s %t
// RUN: tune-opt %t/pinned.mlir --tune-apply="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" | FileCheck %s --check-prefix=PINNED
// RUN: tune-opt %t/narrowed.mlir --tune-apply="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" | FileCheck %s --check-prefix=NARROWED
// RUN: tune-opt %t/nothing.mlir --tune-apply="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" 2>&1 | FileCheck %s --check-prefix=NOTHING

// The winner has nc = 16; the best trial with 32 is taken. The user's value keeps its form.
// PINNED: tune.choices = {level = #tune.chosen<"alternative", "2", "database:eeaee248">, mc = #tune.chosen<"tile", 8 : i64, "database:eeaee248">, nc = 32 : i64, order = #tune.chosen<"alternative", "columns", "database:eeaee248">}

// NARROWED: mc = #tune.chosen<"tile", 8 : i64, "database:eeaee248">, nc = #tune.chosen<"tile", 16 : i64, "database:eeaee248">, order = #tune.chosen<"alternative", "rows", "database:eeaee248">

// NOTHING: remark: 'matmul 64x64x32 f32' keeps the default schedule: no record has what is chosen on this op
// NOTHING: tune.choices = {mc = 32 : i64, nc = 8 : i64}

//--- pinned.mlir
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {tune.choices = {nc = 32}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
//--- narrowed.mlir
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {tune.choices = {mc = #tune.tile<[8, 16]>, nc = #tune.tile<[8, 16]>}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
//--- nothing.mlir
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {tune.choices = {mc = 32, nc = 8}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
