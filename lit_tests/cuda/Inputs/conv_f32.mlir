func.func @f(%a: tensor<1x8x36x16xf32>, %b: tensor<3x3x16x64xf32>) -> tensor<1x4x32x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x32x64xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x32x64xf32>) -> tensor<1x4x32x64xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x8x36x16xf32>, tensor<3x3x16x64xf32>) outs(%c : tensor<1x4x32x64xf32>) -> tensor<1x4x32x64xf32>
  return %0 : tensor<1x4x32x64xf32>
}
