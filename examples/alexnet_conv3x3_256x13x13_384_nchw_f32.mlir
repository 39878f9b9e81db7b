// AlexNet, the third: 256 channels of 13x13 to 384, NCHW.
func.func @conv(%x: tensor<1x256x13x13xf32>, %filter: tensor<384x256x3x3xf32>) -> tensor<1x384x13x13xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x256x13x13xf32> to tensor<1x256x15x15xf32>
  %empty = tensor.empty() : tensor<1x384x13x13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x384x13x13xf32>) -> tensor<1x384x13x13xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x256x15x15xf32>, tensor<384x256x3x3xf32>)
    outs(%init : tensor<1x384x13x13xf32>) -> tensor<1x384x13x13xf32>
  return %y : tensor<1x384x13x13xf32>
}
