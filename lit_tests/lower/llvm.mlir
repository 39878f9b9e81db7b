// Down to the LLVM dialect: every op of the module, tasks or not, with the vector width that a
// schedule chose for its function.
// RUN: tune-opt %s --tune-lower=target=null -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: grep -E '^ *(%%[^ ]* = )?[a-z]+\.' %t.mlir | not grep -vE '^ *(%%[^ ]* = )?llvm\.'
// RUN: mlir-translate --mlir-to-llvmir %t.mlir | FileCheck %s --check-prefix=LLVM
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(tune-lower{target=null})' | FileCheck %s

// CHECK: llvm.func @tune_task_0({{.*}} attributes {passthrough = {{\[\[}}"prefer-vector-width", "512"{{\]\]}}, sym_visibility = "private"
// CHECK: llvm.func @main(
// CHECK: llvm.call @tune_task_0(
// CHECK: llvm.func @scalars(
// LLVM: define {{.*}} @tune_task_0({{.*}} #[[ATTRIBUTES:[0-9]+]]
// LLVM: attributes #[[ATTRIBUTES]] = { "prefer-vector-width"="512" }
func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Nothing to tune in here, but lowered all the same.
func.func @scalars(%x: f32, %y: f32) -> f32 {
  %0 = arith.addf %x, %y : f32
  %1 = math.exp %0 : f32
  return %1 : f32
}
