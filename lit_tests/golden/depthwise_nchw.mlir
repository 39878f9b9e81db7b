// RUN: %golden %s
// A depthwise convolution with pixels innermost.
// golden: cpu_v4
func.func @f(%x: tensor<1x8x8x16xf32>, %w: tensor<8x3x3xf32>)
    -> tensor<1x8x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x16xf32> to tensor<1x8x10x18xf32>
  %e = tensor.empty() : tensor<1x8x8x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x8x10x18xf32>, tensor<8x3x3xf32>) outs(%z : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %r : tensor<1x8x8x16xf32>
}
