// A task too large to be run here is not tuned, and the others are; a search of it alone says why it fails.
// RUN: tune-opt %s --tune-search="random trials=2 finalists=0 db=:memory:" -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TUNED --input-file=%t.mlir
// CHECK: warning: 'add 1000000000000 f32' is not tuned: {{.*}}the arguments and results take 8e+03 GB, and this machine has
// CHECK: tune-search: 2 trials
// TUNED: linalg.matmul {tune.choices
func.func @main(%a: tensor<1000000000000xf32>, %x: tensor<32x64xf32>, %w: tensor<64x40xf32>) -> (tensor<1000000000000xf32>, tensor<32x40xf32>) {
  %0 = tensor.empty() : tensor<1000000000000xf32>
  %1 = linalg.add ins(%a, %a : tensor<1000000000000xf32>, tensor<1000000000000xf32>) outs(%0 : tensor<1000000000000xf32>) -> tensor<1000000000000xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x40xf32>) -> tensor<32x40xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x40xf32>) outs(%f : tensor<32x40xf32>) -> tensor<32x40xf32>
  return %1, %r : tensor<1000000000000xf32>, tensor<32x40xf32>
}
