// The choices on an op decide its schedule; where there are none, it is the default.
// RUN: tune-opt %s --tune-lower="target=null schedule=%S/../annotate/Inputs/tiles.mlir until=schedule" | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(tune-lower{target=null schedule=%S/../annotate/Inputs/tiles.mlir until=schedule})' | FileCheck %s

// What a search or the database chose counts as what the user chose. The second task has the
// schedule's defaults.
// CHECK-LABEL: func.func private @tune_task_0
// CHECK-SAME:    tune.llvm.opt_level = 2
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK:         scf.for {{.*}} step %[[C8]]
// CHECK:           scf.for {{.*}} step %[[C32]]
// CHECK:             linalg.generic {{.*}} ins({{.*}} : memref<32x32xf32
// CHECK-LABEL: func.func private @tune_task_1
// CHECK-SAME:    tune.llvm.opt_level = 3
// CHECK:         linalg.generic {{.*}} ins({{.*}} : memref<16x64xf32
// CHECK-LABEL: func.func @main
// CHECK-NOT:     tune.choices
// CHECK:         call @tune_task_0
// CHECK:         call @tune_task_1
func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x16xf32>, %i0: tensor<64x64xf32>,
                %i1: tensor<64x16xf32>) -> (tensor<64x64xf32>, tensor<64x16xf32>) {
  %0 = linalg.matmul {tune.choices = {
      level = #tune.chosen<"alternative", "2", "search:grid">, mc = #tune.chosen<"tile", 32, "database:1f3a09c2">,
      nc = #tune.tile<[8]>, order = "columns"}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%i0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<64x64xf32>, tensor<64x16xf32>) outs(%i1 : tensor<64x16xf32>)
    -> tensor<64x16xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x16xf32>
}
