// Occurrences of a task share one function. Functions that are none of ours stay as many as they were,
// however much they look alike.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// Schedules touch the functions of their tasks only.
// RUN: grep tune_task_0 %t.mlir | grep -q tune.llvm
// RUN: grep 'func.func' %t.mlir | grep -v tune_task_0 | not grep tune.llvm
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | diff - %t.mlir

// CHECK-DAG: func.func private @first(f32) -> f32
// CHECK-DAG: func.func private @second(f32) -> f32
// CHECK-DAG: call @first
// CHECK-DAG: call @second
// CHECK-DAG: func.func @half
// CHECK-DAG: func.func @also_half
// CHECK-DAG: func.func @main
// CHECK-DAG: func.func private @tune_task_0(
// CHECK-NOT: @tune_task_0_0
func.func private @first(f32) -> f32
func.func private @second(f32) -> f32

func.func @half(%x: f32) -> f32 {
  %c = arith.constant 0.5 : f32
  %0 = arith.mulf %x, %c : f32
  return %0 : f32
}
func.func @also_half(%x: f32) -> f32 {
  %c = arith.constant 0.5 : f32
  %0 = arith.mulf %x, %c : f32
  return %0 : f32
}

func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>, %x: f32) -> (tensor<64xf32>, tensor<64xf32>, f32, f32) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.exp ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = func.call @first(%x) : (f32) -> f32
  %3 = func.call @second(%x) : (f32) -> f32
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xf32>, f32, f32
}
