func.func @main(%x: tensor<8x16x16xf32>, %w: tensor<8x16x16xf32>) -> tensor<8x16x16xf32> attributes {tune.images_at_once = ATTRIBUTE} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  %0 = linalg.batch_matmul ins(%x, %w : tensor<8x16x16xf32>, tensor<8x16x16xf32>) outs(%f : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  return %0 : tensor<8x16x16xf32>
}
