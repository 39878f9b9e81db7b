// Two products, one after the other.
func.func @main(%x: tensor<32x64xf32>, %v: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<32x48xf32>
  %e = linalg.fill ins(%zero : f32) outs(%d : tensor<32x48xf32>) -> tensor<32x48xf32>
  %h = linalg.matmul ins(%x, %v : tensor<32x64xf32>, tensor<64x48xf32>) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %f = tensor.empty() : tensor<32x32xf32>
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%h, %w : tensor<32x48xf32>, tensor<48x32xf32>) outs(%g : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
