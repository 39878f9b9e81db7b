// Choices of every kind survive text, generic text and bytecode, in tune-opt and in stock mlir-opt
// with the plugin; each writes what the other reads.
// RUN: tune-opt %s | FileCheck %s
// RUN: tune-opt %s | tune-opt | FileCheck %s
// RUN: tune-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tune-opt %s --mlir-print-op-generic | tune-opt | FileCheck %s
// RUN: tune-opt %s --emit-bytecode -o %t.mlirbc
// RUN: tune-opt %t.mlirbc | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin %t.mlirbc | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin %s --emit-bytecode | tune-opt | FileCheck %s
// RUN: tune-opt %s --verify-roundtrip -o %t.mlir

// CHECK-LABEL: func.func @matmul
// CHECK: linalg.matmul {tune.choices = {
// CHECK-SAME: epilogue = #tune.fuse<["producer", "none"]>
// CHECK-SAME: kr = 4 : i64
// CHECK-SAME: kw = #tune.unroll<[1, 2, 4]>
// CHECK-SAME: lowering = #tune.alternative<["outerproduct", "dot"]>
// CHECK-SAME: mc = #tune.tile<[0, 32, 64]>
// CHECK-SAME: nr = #tune.chosen<"tile", 32 : i64, "search:evolutionary">
// CHECK-SAME: order = #tune.order<["mnk", "nmk"]>
// CHECK-SAME: panels = #tune.pack<["none", "b", "a and b"]>
// CHECK-SAME: threads = #tune.parallel<[0, 1]>
// CHECK-SAME: variant = #tune.chosen<"alternative", "dot", "database:/a b/c \22d\22.db">
// CHECK-SAME: width = #tune.vectorize<[8, 16]>}}
// GENERIC: "linalg.matmul"
// GENERIC: tune.choices = {epilogue = #tune.fuse<["producer", "none"]>
// GENERIC-SAME: variant = #tune.chosen<"alternative", "dot", "database:/a b/c \22d\22.db">
func.func @matmul(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul {tune.choices = {
         mc = #tune.tile<[0, 32, 64]>,
         nr = #tune.chosen<"tile", 32, "search:evolutionary">,
         kr = 4,
         kw = #tune.unroll<[1, 2, 4]>,
         epilogue = #tune.fuse<["producer", "none"]>,
         width = #tune.vectorize<[8, 16]>,
         panels = #tune.pack<["none", "b", "a and b"]>,
         order = #tune.order<["mnk", "nmk"]>,
         threads = #tune.parallel<[0, 1]>,
         lowering = #tune.alternative<["outerproduct", "dot"]>,
         variant = #tune.chosen<"alternative", "dot", "database:/a b/c \22d\22.db">
       }} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A schedule's knob takes a domain of the dialect as its options.
// CHECK-LABEL: transform.named_sequence @schedule
// CHECK: transform.tune.knob<"mc"> {{.*}}#tune.tile<[32, 64]>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %mc = transform.tune.knob<"mc"> options = #tune.tile<[32, 64]> -> !transform.param<i64>
    transform.yield
  }
}
