func.func @main(%x: tensor<3072xf32>, %w: tensor<3072x768xf32>) -> tensor<768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<768xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<768xf32>) -> tensor<768xf32>
  %y = linalg.vecmat ins(%x, %w : tensor<3072xf32>, tensor<3072x768xf32>) outs(%start : tensor<768xf32>) -> tensor<768xf32>
  return %y : tensor<768xf32>
}
