// One task: a product, and what follows it elementwise.
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> tensor<32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<32x48xf32>
  %e = linalg.fill ins(%zero : f32) outs(%d : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %t = linalg.tanh ins(%p : tensor<32x48xf32>) outs(%d : tensor<32x48xf32>) -> tensor<32x48xf32>
  %s = linalg.exp ins(%t : tensor<32x48xf32>) outs(%d : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %s : tensor<32x48xf32>
}
