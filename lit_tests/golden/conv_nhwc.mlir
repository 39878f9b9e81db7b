// RUN: %golden %s
// A convolution with channels innermost, whose borders may be skipped, and whose channels fill no vectors.
// golden: cpu_v4
// golden: cpu_v4 borders=multiplied
// golden: vulkan:generic
func.func @f(%x: tensor<2x5x7x12xf32>, %w: tensor<3x3x12x32xf32>)
    -> tensor<2x5x7x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x5x7x12xf32> to tensor<2x7x9x12xf32>
  %e = tensor.empty() : tensor<2x5x7x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<2x7x9x12xf32>, tensor<3x3x12x32xf32>) outs(%z : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  return %r : tensor<2x5x7x32xf32>
}
