func.func @main(%a: tensor<36x40xf32>) -> tensor<36xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<36xf32>
  %fill = linalg.fill ins(%one : f32) outs(%empty : tensor<36xf32>) -> tensor<36xf32>
  %0 = linalg.reduce { arith.mulf } ins(%a : tensor<36x40xf32>) outs(%fill : tensor<36xf32>) dimensions = [1]
  return %0 : tensor<36xf32>
}
