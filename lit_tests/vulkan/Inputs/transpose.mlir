func.func @main(%a: tensor<36x52xf32>) -> tensor<52x36xf32> {
  %empty = tensor.empty() : tensor<52x36xf32>
  %0 = linalg.transpose ins(%a : tensor<36x52xf32>) outs(%empty : tensor<52x36xf32>) permutation = [1, 0]
  return %0 : tensor<52x36xf32>
}
