// What the user has chosen stays as it was written, and nothing else is tried.
// RUN: tune-opt %s --tune-search="random trials=4 finalists=0" | FileCheck %s
// CHECK: linalg.matmul {tune.choices = {
// CHECK-SAME: kr = #tune.chosen<"unroll", 2 : i64, "user">
// CHECK-SAME: mr = 4 : i64
// CHECK-SAME: nr = #tune.chosen<"tile", {{[0-9]+}} : i64, "{{default|search:random}}">
// RUN: tune-db export | python3 %S/Inputs/proposals.py > %t.trials
// RUN: FileCheck %s --check-prefix=TRIALS --implicit-check-not='"mr": {{[^4]}}' < %t.trials
// TRIALS-COUNT-4: "kr": 2,{{.*}}"mr": 4,

// An open domain is narrowed to: here to two values.
// RUN: sed 's/mr = 4/mr = #tune.tile<[4, 8]>/' %s > %t.narrow.mlir
// RUN: tune-opt %t.narrow.mlir --tune-search="random trials=6 finalists=0 db=%t.narrow.db" -o /dev/null
// RUN: tune-db export --db=%t.narrow.db | python3 %S/Inputs/proposals.py > %t.narrow
// RUN: FileCheck %s --check-prefix=NARROW --implicit-check-not='"mr": {{[^48]}}' < %t.narrow
// NARROW-COUNT-6: "mr": {{4|8}},

func.func @matmul(%a: tensor<32x16xf32>, %b: tensor<16x48xf32>) -> tensor<32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x48xf32>) -> tensor<32x48xf32>
  %0 = linalg.matmul {tune.choices = {mr = 4, kr = #tune.chosen<"unroll", 2, "user">}}
    ins(%a, %b : tensor<32x16xf32>, tensor<16x48xf32>) outs(%init : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
