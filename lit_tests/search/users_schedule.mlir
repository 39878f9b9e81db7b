// A schedule of the user's is searched like a rule's: its knobs end up on the op.
// RUN: tune-opt %S/Inputs/matmul.mlir --tune-search="schedule=%S/Inputs/tiles.mlir" | FileCheck %s
// CHECK: linalg.matmul {tune.choices = {rows = #tune.chosen<"tile", {{4|8|16}} : i64, "{{default|search:evolutionary}}">}}

// Where it is meant for other tasks, these keep their rules.
// RUN: split-file %s %t
// RUN: sed 's/with_named_sequence}/with_named_sequence, tune.for = ["matmul 32x48"]}/' %S/Inputs/tiles.mlir > %t/tiles.mlir
// RUN: tune-opt %t/two.mlir --tune-search="trials=2 finalists=0 schedule=%t/tiles.mlir" | FileCheck %s --check-prefix=TWO
// TWO: linalg.matmul {tune.choices = {rows =
// TWO-NOT: rows =
// TWO: linalg.matmul {tune.choices =
// TWO-NOT: rows =

// Records of one schedule are not those of another.
// RUN: tune-opt %t/two.mlir --tune-search="trials=2 finalists=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: tune-search: 4 trials, 2 of them new

//--- two.mlir
func.func @two(%a: tensor<32x16xf32>, %b: tensor<16x48xf32>, %c: tensor<32x48xf32>, %d: tensor<48x24xf32>, %e: tensor<32x24xf32>) -> tensor<32x24xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x16xf32>, tensor<16x48xf32>) outs(%c : tensor<32x48xf32>) -> tensor<32x48xf32>
  %1 = linalg.matmul ins(%0, %d : tensor<32x48xf32>, tensor<48x24xf32>) outs(%e : tensor<32x24xf32>) -> tensor<32x24xf32>
  return %1 : tensor<32x24xf32>
}
