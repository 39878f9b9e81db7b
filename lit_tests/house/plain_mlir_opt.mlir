// RUN: mlir-opt %s --canonicalize | FileCheck %s
// The tests find LLVM 22's own tools, and each has an empty cache folder of its own.
// RUN: printenv XDG_CACHE_HOME | FileCheck %s --check-prefix=CACHE -DEXPECTED=%t.cache
// RUN: test -d %t.cache
// RUN: not ls %t.cache/mlir-tune
// RUN: mkdir %t.cache/mlir-tune

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: return %arg0
func.func @twice(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %y = arith.addi %x, %zero : i32
  return %y : i32
}

// CACHE: {{^}}[[EXPECTED]]{{$}}
