// ResNet-50, the stem: 3 channels of 224x224 to 64, stride 2, NHWC.
func.func @conv(%x: tensor<1x224x224x3xf32>, %filter: tensor<7x7x3x64xf32>) -> tensor<1x112x112x64xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x224x224x3xf32> to tensor<1x230x230x3xf32>
  %empty = tensor.empty() : tensor<1x112x112x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x112x112x64xf32>) -> tensor<1x112x112x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x230x230x3xf32>, tensor<7x7x3x64xf32>)
    outs(%init : tensor<1x112x112x64xf32>) -> tensor<1x112x112x64xf32>
  return %y : tensor<1x112x112x64xf32>
}
