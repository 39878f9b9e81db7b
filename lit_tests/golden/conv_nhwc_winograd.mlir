// RUN: %golden %s
// A convolution that Winograd's transforms can do, with channels innermost.
// golden: cpu_v4
// golden: cpu_v4 algorithm=direct
// golden: cpu_v4 algorithm=winograd,winograd_tile=2x2
// golden: cpu_v4 algorithm=im2col
func.func @f(%x: tensor<1x8x12x16xf32>, %w: tensor<3x3x16x32xf32>)
    -> tensor<1x8x12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x12x16xf32> to tensor<1x10x14x16xf32>
  %e = tensor.empty() : tensor<1x8x12x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x12x32xf32>) -> tensor<1x8x12x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x10x14x16xf32>, tensor<3x3x16x32xf32>) outs(%z : tensor<1x8x12x32xf32>) -> tensor<1x8x12x32xf32>
  return %r : tensor<1x8x12x32xf32>
}
