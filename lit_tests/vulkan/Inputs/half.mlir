func.func @main(%a: tensor<32x24xf16>, %b: tensor<24x48xf16>) -> tensor<32x48xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<32x48xf16>
  %fill = linalg.fill ins(%zero : f16) outs(%empty : tensor<32x48xf16>) -> tensor<32x48xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x48xf16>) outs(%fill : tensor<32x48xf16>) -> tensor<32x48xf16>
  return %0 : tensor<32x48xf16>
}
