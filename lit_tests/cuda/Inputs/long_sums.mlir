func.func @f(%a: tensor<6x4096xf16>) -> tensor<6xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<6xf16>
  %c = linalg.fill ins(%z : f16) outs(%e : tensor<6xf16>) -> tensor<6xf16>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<6x4096xf16>) outs(%c : tensor<6xf16>) dimensions = [1]
  return %0 : tensor<6xf16>
}
