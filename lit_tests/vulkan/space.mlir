// What can be decided for a GPU is known without one: vulkan:generic is what all have. Nothing of the
// CPU's is in it, and what is decided ends as attributes that the lowering reads.
// RUN: tune-opt %s --tune-print-space=target=vulkan:generic -o %t.space.mlir 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: matmul 64x32x128 f32 +add
// TABLE: for target vulkan:generic, {{[0-9]+}} configs
// TABLE-NOT: llvm
// TABLE: only where
// TABLE: group_x {{ *}}gpu
// TABLE: group_y {{ *}}gpu {{ *}}[[#]] {{ *}}shared_memory == none
// TABLE: stages {{ *}}gpu {{ *}}[[#]] {{ *}}shared_memory == tiles
// TABLE-NOT: does nothing
// TABLE: spirv_opt {{ *}}target {{ *}}performance {{ *}}none, performance, size, unroll
// RUN: tune-opt %s --tune-lower="target=vulkan:generic until=schedule" | FileCheck %s
// RUN: tune-opt %s --tune-lower="target=vulkan:generic until=schedule schedule=%t.space.mlir" | FileCheck %s
// CHECK: func.func private @tune_task_0{{.*}}tune.spirv.opt = "performance"
// CHECK: scf.forall {{.*}} in (2, 8)
// CHECK: } {{.*}}tune.group_x = 32 : i64, tune.group_y = 2
// RUN: tune-opt %s --tune-annotate=target=vulkan:generic | FileCheck %s --check-prefix=CHOICES
// CHOICES: spirv_opt = {{.*}}"none", "performance", "size", "unroll"

// A choice reaches the schedule.
// RUN: tune-opt %s --tune-annotate=target=vulkan:generic | sed -e 's/spirv_opt = [^,}]*\(, [^]]*\)*\][^,}]*/spirv_opt = "size"/' > %t.chosen.mlir
// RUN: tune-opt %t.chosen.mlir --tune-lower="target=vulkan:generic until=schedule" | FileCheck %s --check-prefix=SIZE
// SIZE: tune.spirv.opt = "size"

// What was chosen for one target means nothing to another, and the message says so.
// RUN: not tune-opt %t.chosen.mlir --tune-lower 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: tune.choices: no knob "{{band|group_x|spirv_opt}}"; the knobs are mc,
// OTHER: for target cpu and 1 thread; {{.*}} for another target that target: target=<name>

func.func @main(%a: tensor<64x128xf32>, %b: tensor<128x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
  %product = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x32xf32>) outs(%fill : tensor<64x32xf32>) -> tensor<64x32xf32>
  %sum = linalg.add ins(%product, %c : tensor<64x32xf32>, tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %sum : tensor<64x32xf32>
}
