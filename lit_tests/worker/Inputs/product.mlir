func.func @main(%a: tensor<MxKxf32>, %b: tensor<KxNxf32>) -> tensor<MxNxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<MxNxf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<MxNxf32>) -> tensor<MxNxf32>
  %product = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%fill : tensor<MxNxf32>) -> tensor<MxNxf32>
  return %product : tensor<MxNxf32>
}
