// Weights that are the same in all calls may be packed ahead of them; they are another task than those
// that are not. Threads divide loops then that upstream does not know to be parallel.
// RUN: tune-opt %s --tune-print-space=target=null -o /dev/null 2>&1 | FileCheck %s
// RUN: tune-opt %s --tune-print-space="target=null threads=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: tune-opt %s --tune-extract=none | FileCheck %s --check-prefix=TASKS
// CHECK: matmul 64x96x32 f32
// CHECK-NOT: weights
// CHECK: matmul 64x96x32 f32
// CHECK: weights {{ *}}linalg {{ *}}ahead  each_call, ahead
// CHECK-NOT: matmul
// THREADS: weights {{ *}}linalg {{ *}}ahead  each_call, ahead
// TASKS: call @[[CHANGING:tune_task_0]](
// TASKS: call @[[CONSTANT:tune_task_1]](
// TASKS: func.func private @[[CHANGING]](%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<32x96xf32>, %
// TASKS: func.func private @[[CONSTANT]](%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<32x96xf32> {tune.constant}, %
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x96xf32>, %w: tensor<32x96xf32> {tune.constant})
    -> (tensor<64x96xf32>, tensor<64x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x96xf32>)
      outs(%1 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %3 = linalg.matmul ins(%a, %w : tensor<64x32xf32>, tensor<32x96xf32>)
      outs(%1 : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %2, %3 : tensor<64x96xf32>, tensor<64x96xf32>
}
