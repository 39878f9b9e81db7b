// Two layers whose weights stay the same.
func.func @main(%x: tensor<64x32xf32>, %v: tensor<32x48xf32> {tune.constant},
                %w: tensor<48x50xf32> {tune.constant}) -> tensor<64x50xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %inner = linalg.matmul ins(%x, %v : tensor<64x32xf32>, tensor<32x48xf32>)
                         outs(%init : tensor<64x48xf32>) -> tensor<64x48xf32>
  %empty_out = tensor.empty() : tensor<64x50xf32>
  %init_out = linalg.fill ins(%zero : f32) outs(%empty_out : tensor<64x50xf32>) -> tensor<64x50xf32>
  %out = linalg.matmul ins(%inner, %w : tensor<64x48xf32>, tensor<48x50xf32>)
                       outs(%init_out : tensor<64x50xf32>) -> tensor<64x50xf32>
  return %out : tensor<64x50xf32>
}
