// ResNet-50, the stem: 3 channels of 224x224 to 64, stride 2, NCHW.
func.func @conv(%x: tensor<1x3x224x224xf32>, %filter: tensor<64x3x7x7xf32>) -> tensor<1x64x112x112xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 3, 3] high[0, 0, 3, 3] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x3x224x224xf32> to tensor<1x3x230x230xf32>
  %empty = tensor.empty() : tensor<1x64x112x112xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%padded, %filter : tensor<1x3x230x230xf32>, tensor<64x3x7x7xf32>)
    outs(%init : tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  return %y : tensor<1x64x112x112xf32>
}
