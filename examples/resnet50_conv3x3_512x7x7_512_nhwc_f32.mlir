// ResNet-50, the last 3x3: 512 channels of 7x7 to 512, NHWC.
func.func @conv(%x: tensor<1x7x7x512xf32>, %filter: tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x7x7x512xf32> to tensor<1x9x9x512xf32>
  %empty = tensor.empty() : tensor<1x7x7x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x9x9x512xf32>, tensor<3x3x512x512xf32>)
    outs(%init : tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32>
  return %y : tensor<1x7x7x512xf32>
}
