func.func @f(%a: tensor<8x2048xf32>) -> tensor<8x2048xf32> {
  %e = tensor.empty() : tensor<8x2048xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<8x2048xf32>) outs(%e : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  return %0 : tensor<8x2048xf32>
}
