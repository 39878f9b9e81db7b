// A search leaves the winner's value for each knob on the op, with where it comes from, and changes
// nothing else. Asked again, it gives the same without measuring.
// RUN: tune-opt %S/Inputs/matmul.mlir --tune-search="evolutionary trials=6 seed=3" -o %t.first.mlir 2>%t.first.log
// RUN: FileCheck %s < %t.first.mlir
// RUN: FileCheck %s --check-prefix=FIRST < %t.first.log
// RUN: tune-opt %S/Inputs/matmul.mlir --tune-search="evolutionary trials=6 seed=3" -o %t.again.mlir 2>%t.again.log
// RUN: diff %t.first.mlir %t.again.mlir
// RUN: FileCheck %s --check-prefix=AGAIN < %t.again.log

// CHECK: linalg.matmul {tune.choices = {
// CHECK-SAME: mr = #tune.chosen<"tile", {{[0-9]+}} : i64, "{{default|search:evolutionary}}">
// CHECK-SAME: nr = #tune.chosen<"tile", {{[0-9]+}} : i64, "{{default|search:evolutionary}}">
// FIRST: tune-search: 6 trials, 6 of them new
// AGAIN: tune-search: 6 trials, 0 of them new

// The choices are all that is new.
// RUN: tune-opt %S/Inputs/matmul.mlir --mlir-print-op-generic | sed 's/tune.choices = {[^}]*}//' > %t.plain.mlir
// RUN: tune-opt %t.first.mlir --mlir-print-op-generic | sed 's/tune.choices = {[^}]*}//; s/, }> (/}> (/; s/ {}//' > %t.stripped.mlir
// RUN: diff %t.plain.mlir %t.stripped.mlir

// They are where a search starts, not what binds it: only a user pins. More trials go on from there.
// RUN: tune-opt %t.first.mlir --tune-search="random trials=8 seed=4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: tune-search: 8 trials, 2 of them new
