func.func @main(%a: tensor<40x36xf32>) -> tensor<36xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<36xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<36xf32>) -> tensor<36xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<40x36xf32>) outs(%fill : tensor<36xf32>) dimensions = [0]
  return %0 : tensor<36xf32>
}
