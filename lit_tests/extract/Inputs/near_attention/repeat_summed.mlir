func.func @main(%a0: tensor<3x16xf32>, %a1: tensor<50x16xf32>) -> (tensor<3x50xf32>) {
  %v1 = tensor.empty() : tensor<4x50x16xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(h, k, w) -> (k, w)>, affine_map<(h, k, w) -> (h, k, w)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a1 : tensor<50x16xf32>) outs(%v1 : tensor<4x50x16xf32>) {
  ^bb0(%x2_i0: f32, %x2_o: f32):
    linalg.yield %x2_i0 : f32
  } -> tensor<4x50x16xf32>
  %v3 = arith.constant 0.0 : f32
  %v4 = tensor.empty() : tensor<3x50xf32>
  %v5 = linalg.fill ins(%v3 : f32) outs(%v4 : tensor<3x50xf32>) -> tensor<3x50xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(r, k, h, w) -> (r, w)>, affine_map<(r, k, h, w) -> (h, k, w)>, affine_map<(r, k, h, w) -> (r, k)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a0, %v2 : tensor<3x16xf32>, tensor<4x50x16xf32>) outs(%v5 : tensor<3x50xf32>) {
  ^bb0(%x6_i0: f32, %x6_i1: f32, %x6_o: f32):
    %x6_t0 = arith.mulf %x6_i0, %x6_i1 : f32
    %x6_t1 = arith.addf %x6_o, %x6_t0 : f32
    linalg.yield %x6_t1 : f32
  } -> tensor<3x50xf32>
  return %v6 : tensor<3x50xf32>
}
