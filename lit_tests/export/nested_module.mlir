// Functions of a module within the module are left alone, and said to be.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter | FileCheck %s

module {
  // CHECK: module @inner
  // CHECK: func.func @f(%{{.*}}: tensor<8xf32>) -> tensor<8xf32> {
  module @inner {
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      // REMARK: nested_module.mlir:[[@LINE+1]]:12: remark: linalg.exp is not tuned: its function is in a module within the module; tune that one on its own
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
  }
  // CHECK: func.func @main(%{{.*}}: memref<8xf32>) -> memref<8xf32> {
  // CHECK: call @tune_task_0(
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
