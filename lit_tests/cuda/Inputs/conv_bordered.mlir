func.func @f(%a: tensor<2x4x32x16xbf16>, %b: tensor<3x3x16x48xbf16>, %bias: tensor<48xf32>) -> tensor<2x4x32x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x32x48xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x32x48xf32>) -> tensor<2x4x32x48xf32>
  %zi = arith.constant 0.0 : bf16
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zi : bf16
  } : tensor<2x4x32x16xbf16> to tensor<2x6x34x16xbf16>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %b : tensor<2x6x34x16xbf16>, tensor<3x3x16x48xbf16>) outs(%c : tensor<2x4x32x48xf32>) -> tensor<2x4x32x48xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %bias : tensor<2x4x32x48xf32>, tensor<48xf32>) outs(%e : tensor<2x4x32x48xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %f = arith.addf %x, %y : f32
    %z1 = arith.constant 0.0 : f32
    %g = arith.maximumf %f, %z1 : f32
    linalg.yield %g : f32
  } -> tensor<2x4x32x48xf32>
  return %1 : tensor<2x4x32x48xf32>
}
