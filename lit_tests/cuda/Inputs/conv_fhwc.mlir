func.func @f(%a: tensor<1x4x66x64xf16>, %b: tensor<32x3x3x64xf16>) -> tensor<1x2x64x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x64x32xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x4x66x64xf16>, tensor<32x3x3x64xf16>) outs(%c : tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
  return %0 : tensor<1x2x64x32xf32>
}
