// The script of a module has the decided schedules of its tasks, and stock MLIR makes the same of the
// module as tune-lower does. Here the values are the database's.
// RUN: rm -f %t.db
// RUN: tune-db import --db=%t.db %S/../apply/Inputs/records.jsonl
// RUN: tune-opt %s --tune-export-schedule="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" -o %t.script.mlir
// RUN: FileCheck %s --input-file=%t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=REPLAYED
// RUN: tune-opt %s --tune-lower="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir until=schedule" | diff - %t.mlir

// Applied first and then exported without the database, it is the same script; it is also what the
// plugin gives.
// RUN: tune-opt %s --tune-apply="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" --tune-export-schedule="target=null schedule=%S/../annotate/Inputs/tiles.mlir" | diff - %t.script.mlir
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(tune-export-schedule{target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir})' | diff - %t.script.mlir

// Two occurrences, one schedule.
// CHECK: module attributes {transform.with_named_sequence} {
// CHECK: transform.named_sequence @tune_tensors_0(
// CHECK-NOT: transform.tune
// CHECK-NOT: transform.smt
// CHECK: transform.param.constant 32 : i64 {{.*}}tune.knob = "mc"
// CHECK: transform.param.constant 16 : i64 {{.*}}tune.knob = "nc"
// CHECK: interchange = [1, 0, 2]
// CHECK-NOT: transform.named_sequence @tune_tensors_
// CHECK: transform.named_sequence @tune_outline(
// CHECK: transform.named_sequence @__transform_main(
// CHECK: transform.include @tune_outline
// CHECK: transform.foreach
// CHECK: transform.include @tune_tensors_0
// CHECK: transform.bufferization.one_shot_bufferize
// CHECK: transform.include @tune_buffers_0

// REPLAYED-COUNT-1: func.func private @tune_task
// REPLAYED: scf.for {{.*}} step %c16
// REPLAYED: linalg.generic {{.*}} ins({{.*}} : memref<32x32xf32
// REPLAYED-NOT: func.func private
func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<32x64xf32>)
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
