// Choices on ops that cannot be kept are told at the op before anything is measured, the last one of a
// module too: the search does not begin with the first.
// RUN: split-file %s %t
// DEFINE: %{search} = not tune-opt --tune-search=trials=100000

// RUN: %{search} %t/value.mlir 2>&1 | FileCheck %s --check-prefix=VALUE --implicit-check-not="records in"
// VALUE: value.mlir:6:8: error: tune.choices: knob "mr" has the value 99, not in its domain [1, 2,
// VALUE: note: the space of 'matmul 32x32x48 f32{{.*}}' is from rule 'contraction' for target cpu and 1 thread; `tune-opt --tune-print-space` shows it
// RUN: sed 's/mr = 99/mrr = 4/' %t/value.mlir > %t/name.mlir
// RUN: %{search} %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: name.mlir:6:8: error: tune.choices: no knob "mrr"; did you mean "mr"? The knobs are {{.*}}mr,
// RUN: sed 's/mr = 99/mr = #tune.tile<[4, 99]>/' %t/value.mlir > %t/subset.mlir
// RUN: %{search} %t/subset.mlir 2>&1 | FileCheck %s --check-prefix=SUBSET
// SUBSET: subset.mlir:6:8: error: tune.choices: knob "mr" has the value 99, not in its domain [1, 2,
// RUN: sed 's/mr = 99/tile_order = "rows"/' %t/value.mlir > %t/word.mlir
// RUN: %{search} %t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: word.mlir:6:8: error: tune.choices: knob "tile_order" has the value rows, not in its domain [columns_outside, rows_outside]
// RUN: sed 's/mr = 99/mr = #tune.tile<[]>/' %t/value.mlir > %t/empty.mlir
// RUN: %{search} %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:6:50: error: the domain is empty
// RUN: sed 's/mr = 99/mr = [4, 8]/' %t/value.mlir > %t/array.mlir
// RUN: %{search} %t/array.mlir 2>&1 | FileCheck %s --check-prefix=ARRAY
// ARRAY: array.mlir:6:8: error: tune.choices: "mr": expected a domain such as #tune.tile<[8, 16]>

// A constraint between two of them, and one that leaves nothing to choose from.
// RUN: sed 's/mr = 99/rows = 32, columns = 32/' %t/value.mlir > %t/violated.mlir
// RUN: %{search}" schedule=%t/tiles.mlir" %t/violated.mlir 2>&1 | FileCheck %s --check-prefix=VIOLATED --implicit-check-not="records in"
// VIOLATED: violated.mlir:6:8: error: tune.choices: rows = 32, columns = 32 violates rows * columns <= 256: a tile has 256 elements at most
// RUN: sed 's/mr = 99/rows = #tune.tile<[16, 32]>, columns = #tune.tile<[32]>/' %t/value.mlir > %t/left.mlir
// RUN: %{search}" schedule=%t/tiles.mlir" %t/left.mlir 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: left.mlir:6:8: error: tune.choices: nothing that these choices allow satisfies rows * columns <= 256: a tile has 256 elements at most; allow more values

//--- value.mlir
func.func @two(%a: tensor<32x16xf32>, %b: tensor<16x48xf32>, %d: tensor<48x32xf32>, %c: tensor<32x48xf32>, %e: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<32x16xf32>, tensor<16x48xf32>) outs(%c : tensor<32x48xf32>) -> tensor<32x48xf32>
  %empty = tensor.empty() : tensor<32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = linalg.matmul {tune.choices = {mr = 99}} ins(%0, %d : tensor<32x48xf32>, tensor<48x32xf32>) outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
//--- tiles.mlir
module attributes {transform.with_named_sequence, tune.for = ["matmul 32x32"]} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %matmul = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %rows = transform.tune.knob<"rows"> options = #tune.tile<[8, 16, 32]> -> !transform.param<i64>
    %columns = transform.tune.knob<"columns"> options = #tune.tile<[8, 16, 32]> -> !transform.param<i64>
    transform.smt.constrain_params(%rows, %columns) {tune.why = "a tile has 256 elements at most"} : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%r: !smt.int, %c: !smt.int):
      %elements = smt.int.mul %r, %c
      %most = smt.int.constant 256
      %holds = smt.int.cmp le %elements, %most
      smt.assert %holds
    }
    %tiled, %loops:2 = transform.structured.tile_using_for %matmul tile_sizes [%rows, %columns, 0]
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
