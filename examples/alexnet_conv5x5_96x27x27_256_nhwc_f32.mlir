// AlexNet, the second: 96 channels of 27x27 to 256, NHWC.
func.func @conv(%x: tensor<1x27x27x96xf32>, %filter: tensor<5x5x96x256xf32>) -> tensor<1x27x27x256xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x27x27x96xf32> to tensor<1x31x31x96xf32>
  %empty = tensor.empty() : tensor<1x27x27x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x27x27x256xf32>) -> tensor<1x27x27x256xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x31x31x96xf32>, tensor<5x5x96x256xf32>)
    outs(%init : tensor<1x27x27x256xf32>) -> tensor<1x27x27x256xf32>
  return %y : tensor<1x27x27x256xf32>
}
