// Tasks inside loops, branches and called functions: replayed alike, and right when they run. A loop
// that makes a new tensor in each turn yields new memory.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | diff - %t.mlir
// RUN: tune-opt %s --tune-lower=target=null | FileCheck %s
// RUN: tune-run %s --function=one --db= --time=0.01 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=two --db= --time=0.01 | FileCheck %s --check-prefix=RIGHT
// CHECK-DAG: llvm.func @callee
// CHECK-DAG: llvm.func @one
// CHECK-DAG: llvm.func @two
// RIGHT: Check {{ *}}ok
func.func private @callee(%a: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {no_inline} {
  %e = tensor.empty() : tensor<16x16xf32>
  %0 = linalg.exp ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func @one(%a: tensor<16x16xf32>, %c: i1) -> tensor<16x16xf32> {
  %r = scf.if %c -> tensor<16x16xf32> {
    %0 = func.call @callee(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %0 : tensor<16x16xf32>
  } else {
    %e = tensor.empty() : tensor<16x16xf32>
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %m = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %m : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}
func.func @two(%a: tensor<16x16xf32>, %n: index) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<16x16xf32> {
    %e = tensor.empty() : tensor<16x16xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %m = linalg.matmul ins(%x, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %m : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}
