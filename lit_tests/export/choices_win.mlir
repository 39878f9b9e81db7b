// What is chosen on the ops wins over the database: all of it where a value is taken, while a narrower
// domain lets the database choose within.
// RUN: rm -f %t.db
// RUN: tune-db import --db=%t.db %S/../apply/Inputs/records.jsonl
// RUN: split-file %s %t
// RUN: tune-opt %t/chosen.mlir --tune-export-schedule="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" | FileCheck %s --check-prefix=CHOSEN
// RUN: tune-opt %t/narrowed.mlir --tune-export-schedule="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" | FileCheck %s --check-prefix=NARROWED

// The rest takes its defaults: what the database has was measured beside another mc.
// CHOSEN: transform.param.constant 8 : i64 {{.*}}tune.knob = "mc"
// CHOSEN: transform.param.constant 16 : i64 {{.*}}tune.knob = "nc"
// CHOSEN-NOT: interchange
// NARROWED: transform.param.constant 8 : i64 {{.*}}tune.knob = "mc"
// NARROWED: transform.param.constant 32 : i64 {{.*}}tune.knob = "nc"
// NARROWED: interchange = [1, 0, 2]

//--- chosen.mlir
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {tune.choices = {mc = 8}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
//--- narrowed.mlir
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {tune.choices = {mc = #tune.tile<[8, 16]>}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
