func.func @f(%a: tensor<32x3x64xf16>, %b: tensor<64x3x48xf16>) -> tensor<32x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, p, k) -> (m, p, k)>, affine_map<(m, n, p, k) -> (k, p, n)>, affine_map<(m, n, p, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<32x3x64xf16>, tensor<64x3x48xf16>) outs(%c : tensor<32x48xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %xx = arith.extf %x : f16 to f32
    %yy = arith.extf %y : f16 to f32
    %p = arith.mulf %xx, %yy : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
