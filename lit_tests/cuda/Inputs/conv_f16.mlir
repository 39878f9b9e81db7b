func.func @f(%a: tensor<1x4x34x64xf16>, %b: tensor<3x3x64x32xf16>, %bias: tensor<32xf32>) -> tensor<1x2x32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x32x32xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x4x34x64xf16>, tensor<3x3x64x32xf16>) outs(%c : tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %bias : tensor<1x2x32x32xf32>, tensor<32xf32>) outs(%e : tensor<1x2x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %f = arith.addf %x, %y : f32
    %z1 = arith.constant 0.0 : f32
    %g = arith.maximumf %f, %z1 : f32
    linalg.yield %g : f32
  } -> tensor<1x2x32x32xf32>
  return %1 : tensor<1x2x32x32xf32>
}
