// Two equal products of which one may be of tf32 stay two, for us and for stock mlir-opt.
// RUN: tune-opt %s --tune-export-schedule -o %t.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.mlir --transform-interpreter -o %t.scheduled.mlir
// RUN: tune-opt %s --tune-lower=until=schedule -o %t.lowered.mlir
// RUN: tune-run %s --db= --time=0.01 | FileCheck %s
// RUN: env TUNE_CUDA_LOADER=%fake_cuda tune-run %s --db= --target=cuda --time=0.01 | FileCheck %s
// CHECK: 3 tasks
// CHECK: Check {{ *}}ok
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {tune.allow = ["tf32"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.tanh ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.matmul ins(%s, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
