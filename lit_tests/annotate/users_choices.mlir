// What the user has said already stays as it is, and a second time changes nothing.
// RUN: tune-opt %s --tune-annotate="target=null schedule=%S/Inputs/tiles.mlir" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tune-opt %t.mlir --tune-annotate="target=null schedule=%S/Inputs/tiles.mlir" | diff %t.mlir -

// CHECK-LABEL: func.func @narrowed_and_pinned
// CHECK: linalg.matmul {tune.choices = {level = 3 : i64, mc = #tune.tile<[8, 16]>, nc = #tune.chosen<"tile", 16 : i64, "user">, order = #tune.alternative<["rows", "columns"]>}}
func.func @narrowed_and_pinned(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = linalg.matmul {tune.choices = {level = 3, mc = #tune.tile<[8, 16]>, nc = #tune.chosen<"tile", 16, "user">}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// What a search of other rules left does not stand in the way.
// CHECK-LABEL: func.func @searched
// CHECK: tune.choices = {{{.*}}mc = #tune.chosen<"tile", 48 : i64, "search:random">
func.func @searched(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = linalg.matmul {tune.choices = {mc = #tune.chosen<"tile", 48, "search:random">}}
    ins(%a, %b : tensor<16x32xf32>, tensor<32x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
