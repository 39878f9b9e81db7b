// A module without a task is lowered plainly, and said to have none.
// RUN: tune-opt %s --tune-lower=target=null -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tune-opt %s --tune-lower="target=null until=schedule" -o - 2>/dev/null | FileCheck %s --check-prefix=SCHEDULE
// REMARK: remark: there is nothing to tune in this module

// CHECK: llvm.func @f(
// SCHEDULE: arith.addf %{{.*}}, %{{.*}} : f32
func.func @f(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
