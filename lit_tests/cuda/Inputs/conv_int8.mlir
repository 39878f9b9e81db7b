func.func @f(%a: tensor<1x5x18x64xi8>, %b: tensor<3x3x64x32xi8>) -> tensor<1x3x16x32xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x3x16x32xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<1x3x16x32xi32>) -> tensor<1x3x16x32xi32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x5x18x64xi8>, tensor<3x3x64x32xi8>) outs(%c : tensor<1x3x16x32xi32>) -> tensor<1x3x16x32xi32>
  return %0 : tensor<1x3x16x32xi32>
}
