func.func @main(%image: tensor<1x10x10x8xf32>, %filter: tensor<3x3x8x16xf32>) -> tensor<1x10x10x16xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%n: index, %h: index, %w: index, %c: index):
      tensor.yield %zero : f32
  } : tensor<1x10x10x8xf32> to tensor<1x12x12x8xf32>
  %empty = tensor.empty() : tensor<1x10x10x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x10x10x16xf32>) -> tensor<1x10x10x16xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%padded, %filter : tensor<1x12x12x8xf32>, tensor<3x3x8x16xf32>) outs(%fill : tensor<1x10x10x16xf32>) -> tensor<1x10x10x16xf32>
  return %0 : tensor<1x10x10x16xf32>
}
