// RUN: %golden %s
// A convolution whose filter is larger than the second cache.
// golden: cpu_v4
func.func @f(%x: tensor<1x6x6x512xf32>, %w: tensor<3x3x512x512xf32>)
    -> tensor<1x4x4x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x512xf32>) -> tensor<1x4x4x512xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x6x6x512xf32>, tensor<3x3x512x512xf32>) outs(%z : tensor<1x4x4x512xf32>) -> tensor<1x4x4x512xf32>
  return %r : tensor<1x4x4x512xf32>
}
