// AlexNet, the second: 96 channels of 27x27 to 256, NCHW.
func.func @conv(%x: tensor<1x96x27x27xf32>, %filter: tensor<256x96x5x5xf32>) -> tensor<1x256x27x27xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x96x27x27xf32> to tensor<1x96x31x31xf32>
  %empty = tensor.empty() : tensor<1x256x27x27xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x256x27x27xf32>) -> tensor<1x256x27x27xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x96x31x31xf32>, tensor<256x96x5x5xf32>)
    outs(%init : tensor<1x256x27x27xf32>) -> tensor<1x256x27x27xf32>
  return %y : tensor<1x256x27x27xf32>
}
