func.func @main(%a: tensor<64x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<64x4xf32>) outs(%fill : tensor<4xf32>) dimensions = [0]
  return %0 : tensor<4xf32>
}
