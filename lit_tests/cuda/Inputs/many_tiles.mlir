func.func @f(%a: tensor<256x64xf16>, %b: tensor<64x192xf16>) -> tensor<256x192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x192xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<256x192xf32>) -> tensor<256x192xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x64xf16>, tensor<64x192xf16>) outs(%c : tensor<256x192xf32>) -> tensor<256x192xf32>
  return %0 : tensor<256x192xf32>
}
