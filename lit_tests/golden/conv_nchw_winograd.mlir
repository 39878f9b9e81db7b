// RUN: %golden %s
// A convolution that Winograd's transforms can do, with pixels innermost.
// golden: cpu_v4
// golden: cpu_v4 algorithm=direct
func.func @f(%x: tensor<1x16x8x12xf32>, %w: tensor<32x16x3x3xf32>)
    -> tensor<1x32x8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x16x8x12xf32> to tensor<1x16x10x14xf32>
  %e = tensor.empty() : tensor<1x32x8x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x8x12xf32>) -> tensor<1x32x8x12xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x16x10x14xf32>, tensor<32x16x3x3xf32>) outs(%z : tensor<1x32x8x12xf32>) -> tensor<1x32x8x12xf32>
  return %r : tensor<1x32x8x12xf32>
}
