func.func @main(%a: tensor<3x16x24xf32>, %b: tensor<3x24x32xf32>) -> tensor<3x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x16x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x16x24xf32>, tensor<3x24x32xf32>) outs(%fill : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  return %0 : tensor<3x16x32xf32>
}
