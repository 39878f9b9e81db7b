func.func @main(%a: tensor<40x36xf32>) -> tensor<40x36xf32> {
  %empty = tensor.empty() : tensor<40x36xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<40x36xf32>) outs(%empty : tensor<40x36xf32>) -> tensor<40x36xf32>
  return %0 : tensor<40x36xf32>
}
