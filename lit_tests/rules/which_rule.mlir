// Each task is taken by the most particular rule that knows it, and the decisions of a schedule
// reach from tiles to LLVM.
// RUN: tune-opt %s --tune-print-space=target=null -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=SCRIPT
// CHECK: matmul 256x256x512 f32
// CHECK: rule 'contraction' for target null and 1 thread, {{[0-9]+}} configs before constraints
// CHECK: mc {{ *}}linalg
// CHECK: kr {{ *}}vector
// CHECK: panels {{ *}}linalg
// CHECK: stack_bytes {{ *}}buffer
// CHECK: llvm_unroll {{ *}}target
// CHECK: fit the registers
// CHECK: softmax 64x128 f32
// CHECK: rule 'reduction'
// CHECK: partial {{ *}}vector
// Rows known at run time only are in vectors all the same: tiles, and what is left row by row.
// CHECK: matmul ?x128x64 f32
// CHECK: rule 'contraction'
// CHECK-NOT: depth_split
// SCRIPT: tune.alternatives<"depth_split">
// SCRIPT: tune.alternatives<"partial">
// SCRIPT: options = #tune.tile<[32, 128, 512, 2048]>
// SCRIPT: transform.loop.peel
func.func @f(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>, %s: tensor<64x128xf32>,
             %d: tensor<?x64xf32>, %w: tensor<64x128xf32>)
    -> (tensor<256x256xf32>, tensor<64x128xf32>, tensor<?x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<256x256xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<256x512xf32>, tensor<512x256xf32>)
      outs(%1 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = tensor.empty() : tensor<64x128xf32>
  %4 = linalg.softmax dimension(1) ins(%s : tensor<64x128xf32>) outs(%3 : tensor<64x128xf32>)
      -> tensor<64x128xf32>
  %n = tensor.dim %d, %c0 : tensor<?x64xf32>
  %5 = tensor.empty(%n) : tensor<?x128xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %7 = linalg.matmul ins(%d, %w : tensor<?x64xf32>, tensor<64x128xf32>)
      outs(%6 : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %2, %4, %7 : tensor<256x256xf32>, tensor<64x128xf32>, tensor<?x128xf32>
}
