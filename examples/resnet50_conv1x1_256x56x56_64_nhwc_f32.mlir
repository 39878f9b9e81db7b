// ResNet-50, a 1x1: 256 channels of 56x56 to 64, NHWC.
func.func @conv(%x: tensor<1x56x56x256xf32>, %filter: tensor<1x1x256x64xf32>) -> tensor<1x56x56x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %filter : tensor<1x56x56x256xf32>, tensor<1x1x256x64xf32>)
    outs(%init : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  return %y : tensor<1x56x56x64xf32>
}
