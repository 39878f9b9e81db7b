func.func @main(%a: tensor<12x20xi32>, %b: tensor<12x20xi32>) -> tensor<12x20xi32> {
  %empty = tensor.empty() : tensor<12x20xi32>
  %0 = linalg.mul ins(%a, %b : tensor<12x20xi32>, tensor<12x20xi32>) outs(%empty : tensor<12x20xi32>) -> tensor<12x20xi32>
  return %0 : tensor<12x20xi32>
}
