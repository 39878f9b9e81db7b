func.func @main(%a: tensor<14x14x1024xf32>, %b: tensor<14x1024x256xf32>) -> tensor<14x14x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<14x14x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<14x14x256xf32>) -> tensor<14x14x256xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<14x14x1024xf32>, tensor<14x1024x256xf32>)
      outs(%init : tensor<14x14x256xf32>) -> tensor<14x14x256xf32>
  return %r : tensor<14x14x256xf32>
}
