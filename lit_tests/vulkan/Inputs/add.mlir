func.func @main(%a: tensor<7x13xf32>, %b: tensor<7x13xf32>) -> tensor<7x13xf32> {
  %empty = tensor.empty() : tensor<7x13xf32>
  %0 = linalg.add ins(%a, %b : tensor<7x13xf32>, tensor<7x13xf32>) outs(%empty : tensor<7x13xf32>) -> tensor<7x13xf32>
  return %0 : tensor<7x13xf32>
}
