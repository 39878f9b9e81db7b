// RUN: %golden %s
// A convolution of bf16 with borders.
// golden: cpu_v4_dot
func.func @f(%x: tensor<1x7x7x16xbf16>, %w: tensor<3x3x16x32xbf16>)
    -> tensor<1x7x7x32xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : bf16
  } : tensor<1x7x7x16xbf16> to tensor<1x9x9x16xbf16>
  %e = tensor.empty() : tensor<1x7x7x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x9x9x16xbf16>, tensor<3x3x16x32xbf16>) outs(%z : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  return %r : tensor<1x7x7x32xf32>
}
