func.func @f(%a: tensor<32x1024xbf16>, %b: tensor<1024x48xbf16>, %c: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x1024xbf16>, tensor<1024x48xbf16>) outs(%c : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
