// Rows that do not end with a vector: the steps before the last are not masked, the last one is a step of its own.
// RUN: tune-opt %s --tune-lower="target=cpu:x86-64-v3 until=schedule" -o - | FileCheck %s
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v3 2>/dev/null | FileCheck %s --check-prefix=SPACE
// SPACE: transform.loop.peel
// CHECK: scf.for %{{.*}} to %c192 step %c16
// CHECK-NOT: masked
// CHECK: }
// CHECK: vector.maskedstore
// CHECK: scf.for %{{.*}} to %c192 step %c16
// CHECK-NOT: masked
// CHECK: }
// CHECK: vector.maskedstore
func.func @softmax(%x: tensor<50x197xf32>) -> tensor<50x197xf32> {
  %e = tensor.empty() : tensor<50x197xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<50x197xf32>) outs(%e : tensor<50x197xf32>) -> tensor<50x197xf32>
  return %r : tensor<50x197xf32>
}
