// What a product is allowed is part of its task, wherever it was said, and of nothing else.
// RUN: tune-opt %s --tune-extract=all -o %t.mlir 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tune-opt %t.mlir --tune-verify -o /dev/null
// RUN: tune-opt %s --tune-extract=none -o - | tune-opt --tune-extract=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TASKS

// Equal products of which one is allowed it stay two; one of a function and one by itself are the same task;
// a product in a function that is inlined has what that says; of a dimension of one nothing is lost.
// TASKS: task 0: matmul 8x16x32 f32/tf32; 1 op, 3 occurrences
// TASKS: task 1: matmul 8x16x32 f32; 1 op, 1 occurrence
// TASKS: task 2: exp 8x16 f32; 1 op, 1 occurrence
// TASKS: task 3: matmul 8x16x32 f32/tf32 +relu

// CHECK-LABEL: func.func private @tune_task_0
// CHECK: arith.mulf {{.*}} {tune.allow = ["tf32"]} : f32
// CHECK-LABEL: func.func private @tune_task_1
// CHECK-NOT: tune.allow
// CHECK-LABEL: func.func private @tune_task_3

func.func private @allowed(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tune.allow = ["tf32"]} {
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

func.func @one(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>, %c: tensor<8x16xf32>, %d: tensor<8x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = linalg.matmul {tune.allow = ["tf32"]} ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = call @allowed(%a, %b, %d) : (tensor<8x32xf32>, tensor<32x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %3 = linalg.exp ins(%d : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1, %2, %3 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

func.func @unit(%a: tensor<1x8x32xf32>, %b: tensor<1x32x16xf32>, %c: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> attributes {tune.allow = ["tf32"]} {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x8x32xf32>, tensor<1x32x16xf32>) outs(%c : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  return %0 : tensor<1x8x16xf32>
}

// What follows is the task's, and allowed nothing.
func.func @relu(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tune.allow = ["tf32"]} {
  %z = arith.constant dense<0.0> : tensor<8x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.max ins(%0, %z : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
