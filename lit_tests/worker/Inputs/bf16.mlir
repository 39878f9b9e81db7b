func.func @f(%a: tensor<64x64xbf16>, %b: tensor<64x6xbf16>, %c: tensor<64x6xbf16>) -> tensor<64x6xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x6xbf16>) outs(%c : tensor<64x6xbf16>) -> tensor<64x6xbf16>
  return %0 : tensor<64x6xbf16>
}
