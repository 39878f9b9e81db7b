// A function that is not there is told before anything is searched, as by tune-run.
// RUN: not tune-opt %s --tune-search="grid trials=1 target=null db=:memory: function=other" -o %t.mlir 2>&1 | FileCheck %s
// CHECK: error: {{.*}}no function @other with a body; there is @main
// CHECK-NOT: trials
// RUN: tune-opt %s --tune-search="grid trials=1 target=null db=:memory: function=main" -o %t.mlir
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tensor.empty() : tensor<8x8xf32>
  %1 = linalg.add ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
