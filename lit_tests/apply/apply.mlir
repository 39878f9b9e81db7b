// The best of the database goes onto the ops; what has no record is named, and the database is only
// read. (The records are of the schedule in ../annotate/Inputs/tiles.mlir, by the digest of its text.)
// RUN: rm -f %t.db
// RUN: tune-db import --db=%t.db %S/Inputs/records.jsonl
// RUN: cp %t.db %t.before
// RUN: tune-opt %s --tune-apply="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" -o %t.mlir 2> %t.remarks
// RUN: cmp %t.db %t.before
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(tune-apply{target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir})' | FileCheck %s

// Once more, nothing changes.
// RUN: tune-opt %t.mlir --tune-apply="target=null db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" | diff %t.mlir -

// What is measured with one thread says nothing about two.
// RUN: tune-opt %s --tune-apply="target=null threads=2 db=%t.db schedule=%S/../annotate/Inputs/tiles.mlir" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: remark: 'matmul 64x64x32 f32' keeps the default schedule: no record of it for target null and 2 threads on this machine; null:{{[0-9a-f]+}} ({{.*}}) has some; to take them: threads=1
// THREADS-NOT: tune.choices

// The winner, which was measured beside its rivals, and not the trial that looked faster.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: linalg.matmul {tune.choices = {level = #tune.chosen<"alternative", "3", "database:eeaee248">, mc = #tune.chosen<"tile", 32 : i64, "database:eeaee248">, nc = #tune.chosen<"tile", 16 : i64, "database:eeaee248">, order = #tune.chosen<"alternative", "columns", "database:eeaee248">}}
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

// REMARK: apply.mlir:[[@LINE+4]]:8: remark: 'sum 64 over 64 f32' keeps the default schedule: its records are of another space than that of rule 'reduction' for target null and 1 thread, or of another version of mlir-tune; tune it again
// CHECK-LABEL: func.func @other_space
// CHECK-NOT: tune.choices
func.func @other_space(%a: tensor<64x64xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.reduce ins(%a : tensor<64x64xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %sum = arith.addf %x, %y : f32
      linalg.yield %sum : f32
    }
  return %0 : tensor<64xf32>
}

// REMARK: apply.mlir:[[@LINE+2]]:8: remark: 'exp 64 f32' keeps the default schedule: no record of it for target null and 1 thread
func.func @no_record(%a: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
