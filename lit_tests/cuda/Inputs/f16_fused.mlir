#map = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%a: tensor<64x96xf16>, %b: tensor<96x64xf16>, %bias: tensor<64xf32>, %res: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %C = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x96xf16>, tensor<96x64xf16>) outs(%C : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = linalg.generic {indexing_maps = [#id, #map, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r, %bias, %res : tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %q: f32):
    %s = arith.addf %x, %y : f32
    %t = math.tanh %s : f32
    %u = arith.addf %t, %w : f32
    linalg.yield %u : f32
  } -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}
