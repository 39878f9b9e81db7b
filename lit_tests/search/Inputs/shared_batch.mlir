// As batch.mlir, two images at once.
func.func @main(%x: tensor<8x16x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<128x32xf32> attributes {tune.images_at_once = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<8x16x32xf32> into tensor<128x32xf32>
  %e = tensor.empty() : tensor<128x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x32xf32>) -> tensor<128x32xf32>
  %0 = linalg.matmul ins(%rows, %a : tensor<128x32xf32>, tensor<32x32xf32>) outs(%f : tensor<128x32xf32>) -> tensor<128x32xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<128x32xf32>, tensor<32x32xf32>) outs(%f : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %1 : tensor<128x32xf32>
}
