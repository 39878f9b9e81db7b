// Variants of functions that are not so plain: a result whose size is not known even then, an argument with a
// layout of which nothing is said, sizes that are computed without end, a mark of somebody's own, tune.dim on
// another function than the one that is meant.
// RUN: split-file %s %t
// DEFINE: %{common} = target=null trials=2 report=quiet db=:memory:
// RUN: tune-opt --tune-search="%{common} dynamic=4,8" %t/joined.mlir -o %t/joined.out.mlir
// RUN: FileCheck %s --check-prefix=JOINED --input-file=%t/joined.out.mlir
// JOINED: func.func private @main_4({{.*}} -> tensor<?x8xf32>
// RUN: tune-run %t/joined.mlir --db= --check --dynamic=4 --time=0.001 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: Check {{ *}}ok
// RUN: tune-opt --tune-search="%{common}" %t/layout.mlir -o %t/layout.out.mlir
// RUN: FileCheck %s --check-prefix=LAYOUT --input-file=%t/layout.out.mlir
// LAYOUT: func.func private @main_4({{.*}}: tensor<4x8xf32>, {{.*}}: memref<?xf32, strided<[?], offset: ?>>)
// RUN: tune-opt --tune-search="%{common}" %t/endless.mlir -o /dev/null
// RUN: not tune-opt --tune-search="%{common} dynamic=1,2" %t/marked.mlir 2>&1 | FileCheck %s --check-prefix=MARKED
// MARKED: marked.mlir:1:{{[0-9]+}}: error: tune.variants is a text
// RUN: tune-opt --tune-search="%{common} function=main" %t/other.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: other.mlir:4:{{[0-9]+}}: warning: tune.dim is of no use here
// RUN: not tune-opt --tune-search="%{common}" %t/words.mlir 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: words.mlir:1:{{[0-9]+}}: error: tune.dim of argument 0, dimension 0: {{.*}}expected a size
// RUN: not tune-opt --tune-search="%{common} dynamic=2,4" %t/itself.mlir 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: error: {{.*}}the function calls itself{{.*}}function= of passes

//--- joined.mlir
func.func @main(%x: tensor<?x8xf32>, %p: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.add ins(%p, %p : tensor<?x8xf32>, tensor<?x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = tensor.concat dim(0) %x, %0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

//--- layout.mlir
func.func @main(%x: tensor<?x8xf32> {tune.dim = ["4", ""]}, %m: memref<?xf32, strided<[?], offset: ?>>) -> tensor<?x8xf32> {
  %0 = linalg.add ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

//--- endless.mlir
func.func @main(%x: tensor<?x8xf32> {tune.measured_at=array<i64: 4, 8>}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a0 = tensor.dim %x, %c0 : tensor<?x8xf32>
  %a1 = arith.addi %a0, %a0 : index
  %a2 = arith.addi %a1, %a1 : index
  %a3 = arith.addi %a2, %a2 : index
  %a4 = arith.addi %a3, %a3 : index
  %a5 = arith.addi %a4, %a4 : index
  %a6 = arith.addi %a5, %a5 : index
  %a7 = arith.addi %a6, %a6 : index
  %a8 = arith.addi %a7, %a7 : index
  %a9 = arith.addi %a8, %a8 : index
  %a10 = arith.addi %a9, %a9 : index
  %a11 = arith.addi %a10, %a10 : index
  %a12 = arith.addi %a11, %a11 : index
  %a13 = arith.addi %a12, %a12 : index
  %a14 = arith.addi %a13, %a13 : index
  %a15 = arith.addi %a14, %a14 : index
  %a16 = arith.addi %a15, %a15 : index
  %a17 = arith.addi %a16, %a16 : index
  %a18 = arith.addi %a17, %a17 : index
  %a19 = arith.addi %a18, %a18 : index
  %a20 = arith.addi %a19, %a19 : index
  %a21 = arith.addi %a20, %a20 : index
  %a22 = arith.addi %a21, %a21 : index
  %a23 = arith.addi %a22, %a22 : index
  %a24 = arith.addi %a23, %a23 : index
  %a25 = arith.addi %a24, %a24 : index
  %a26 = arith.addi %a25, %a25 : index
  %a27 = arith.addi %a26, %a26 : index
  %a28 = arith.addi %a27, %a27 : index
  %a29 = arith.addi %a28, %a28 : index
  %a30 = arith.addi %a29, %a29 : index
  %a31 = arith.addi %a30, %a30 : index
  %a32 = arith.addi %a31, %a31 : index
  %a33 = arith.addi %a32, %a32 : index
  %a34 = arith.addi %a33, %a33 : index
  %a35 = arith.addi %a34, %a34 : index
  %a36 = arith.addi %a35, %a35 : index
  %a37 = arith.addi %a36, %a36 : index
  %a38 = arith.addi %a37, %a37 : index
  %a39 = arith.addi %a38, %a38 : index
  %a40 = arith.addi %a39, %a39 : index
  %c = arith.constant 1099511627776 : index
  %n = arith.divui %a40, %c : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.exp ins(%0 : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

//--- marked.mlir
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tune.variants = 3 : i32} {
  %0 = linalg.add ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

//--- other.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
func.func @other(%x: tensor<?x8xf32> {tune.dim = ["4", ""]}) -> tensor<?x8xf32> {
  %0 = linalg.add ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

//--- words.mlir
func.func @main(%x: tensor<?x8xf32> {tune.dim = ["a=", ""]}) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

//--- itself.mlir
func.func @main(%x: tensor<?x8xf32>, %c: i1) -> tensor<?x8xf32> {
  %0 = scf.if %c -> tensor<?x8xf32> {
    %n = arith.constant false
    %1 = func.call @main(%x, %n) : (tensor<?x8xf32>, i1) -> tensor<?x8xf32>
    scf.yield %1 : tensor<?x8xf32>
  } else {
    %2 = linalg.add ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %2 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}
