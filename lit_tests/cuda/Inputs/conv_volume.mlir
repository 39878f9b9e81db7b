func.func @f(%a: tensor<4x5x18x32xf16>, %b: tensor<2x3x3x32x32xf16>) -> tensor<3x3x16x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3x16x32xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<3x3x16x32xf32>) -> tensor<3x3x16x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(o, h, m, n, u, v, p, k) -> (o + u, h + v, m + p, k)>, affine_map<(o, h, m, n, u, v, p, k) -> (u, v, p, k, n)>, affine_map<(o, h, m, n, u, v, p, k) -> (o, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]} ins(%a, %b : tensor<4x5x18x32xf16>, tensor<2x3x3x32x32xf16>) outs(%c : tensor<3x3x16x32xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %xx = arith.extf %x : f16 to f32
    %yy = arith.extf %y : f16 to f32
    %p = arith.mulf %xx, %yy : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<3x3x16x32xf32>
  return %0 : tensor<3x3x16x32xf32>
}
