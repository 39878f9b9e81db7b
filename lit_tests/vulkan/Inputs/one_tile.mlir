// Four columns and eight rows: a tile, or some vectors, cover everything.
func.func @main(%a: tensor<8x64xf32>, %b: tensor<64x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %product = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x4xf32>)
                           outs(%start : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %product : tensor<8x4xf32>
}
