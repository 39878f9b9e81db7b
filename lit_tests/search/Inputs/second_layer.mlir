// The second of the two layers alone.
func.func @main(%h: tensor<32x48xf32>, %w: tensor<48x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<32x32xf32>
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%h, %w : tensor<32x48xf32>, tensor<48x32xf32>) outs(%g : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
