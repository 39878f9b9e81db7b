// RUN: %golden %s
// A convolution of f16, whose lines are tiles.
// golden: cuda_sm_90
// golden: vulkan_gpu
func.func @f(%x: tensor<1x4x34x64xf16>, %w: tensor<3x3x64x32xf16>)
    -> tensor<1x2x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x4x34x64xf16>, tensor<3x3x64x32xf16>) outs(%z : tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  return %r : tensor<1x2x32x32xf32>
}
