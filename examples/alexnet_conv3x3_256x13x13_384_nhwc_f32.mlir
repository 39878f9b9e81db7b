// AlexNet, the third: 256 channels of 13x13 to 384, NHWC.
func.func @conv(%x: tensor<1x13x13x256xf32>, %filter: tensor<3x3x256x384xf32>) -> tensor<1x13x13x384xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x13x13x256xf32> to tensor<1x15x15x256xf32>
  %empty = tensor.empty() : tensor<1x13x13x384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x13x13x384xf32>) -> tensor<1x13x13x384xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x15x15x256xf32>, tensor<3x3x256x384xf32>)
    outs(%init : tensor<1x13x13x384xf32>) -> tensor<1x13x13x384xf32>
  return %y : tensor<1x13x13x384xf32>
}
