// MLIR runs a pass on nested modules in several threads. Their searches, which would disturb each
// other's measurements, come one after the other: each report is whole.
// RUN: tune-opt %s --pass-pipeline='builtin.module(builtin.module(tune-search{trials=2 db=%t.db}))' -o %t.mlir 2> %t.err
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// RUN: FileCheck %s < %t.mlir

// REPORT:     tune-search: 1 task
// REPORT-NOT: tune-search: 1 task
// REPORT:     tune-search: 2 trials
// REPORT:     tune-search: 1 task
// REPORT:     tune-search: 2 trials

// CHECK-COUNT-2: linalg.exp {tune.choices
module {
  module @a {
    func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
      %r = linalg.exp ins(%x : tensor<64x128xf32>) outs(%x : tensor<64x128xf32>) -> tensor<64x128xf32>
      return %r : tensor<64x128xf32>
    }
  }
  module @b {
    func.func @f(%x: tensor<32x256xf32>) -> tensor<32x256xf32> {
      %r = linalg.exp ins(%x : tensor<32x256xf32>) outs(%x : tensor<32x256xf32>) -> tensor<32x256xf32>
      return %r : tensor<32x256xf32>
    }
  }
}
