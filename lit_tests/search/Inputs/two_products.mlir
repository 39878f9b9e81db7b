func.func @first(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
func.func @second(%x: tensor<24x48xf32>, %w: tensor<48x32xf32>) -> tensor<24x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %r = linalg.matmul ins(%x, %w : tensor<24x48xf32>, tensor<48x32xf32>) outs(%f : tensor<24x32xf32>) -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}
