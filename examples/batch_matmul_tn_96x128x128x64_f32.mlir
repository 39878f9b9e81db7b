// 96 times C = A^T B.
func.func @batch_matmul(%a: tensor<96x64x128xf32>, %b: tensor<96x64x128xf32>) -> tensor<96x128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x128x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
  %c = linalg.batch_matmul
    indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>,
                     affine_map<(b, m, n, k) -> (b, k, n)>,
                     affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<96x64x128xf32>, tensor<96x64x128xf32>)
    outs(%init : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
  return %c : tensor<96x128x128xf32>
}
