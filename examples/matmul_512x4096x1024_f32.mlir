// C = A B, all f32.
func.func @matmul(%a: tensor<512x1024xf32>, %b: tensor<1024x4096xf32>) -> tensor<512x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  %c = linalg.matmul ins(%a, %b : tensor<512x1024xf32>, tensor<1024x4096xf32>)
                     outs(%init : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %c : tensor<512x4096xf32>
}
