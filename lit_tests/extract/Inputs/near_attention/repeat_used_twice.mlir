func.func @main(%a0: tensor<4x1x16xf32>, %a1: tensor<50x16xf32>) -> (tensor<4x1x50xf32>) {
  %v1 = tensor.empty() : tensor<4x50x16xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(h, k, w) -> (k, w)>, affine_map<(h, k, w) -> (h, k, w)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a1 : tensor<50x16xf32>) outs(%v1 : tensor<4x50x16xf32>) {
  ^bb0(%x2_i0: f32, %x2_o: f32):
    linalg.yield %x2_i0 : f32
  } -> tensor<4x50x16xf32>
  %v3 = arith.constant 1.0 : f32
  %v4 = tensor.empty() : tensor<4x50x16xf32>
  %v5 = linalg.fill ins(%v3 : f32) outs(%v4 : tensor<4x50x16xf32>) -> tensor<4x50x16xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(h, k, w) -> (h, k, w)>, affine_map<(h, k, w) -> (h, k, w)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v5 : tensor<4x50x16xf32>) outs(%v5 : tensor<4x50x16xf32>) {
  ^bb0(%x6_i0: f32, %x6_o: f32):
    %x6_t = arith.addf %x6_i0, %x6_o : f32
    linalg.yield %x6_t : f32
  } -> tensor<4x50x16xf32>
  %v7 = arith.constant 0.5 : f32
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, k, w) -> (h, k, w)>, affine_map<(h, k, w) -> (h, k, w)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<4x50x16xf32>) outs(%v6 : tensor<4x50x16xf32>) {
  ^bb0(%x8_i0: f32, %x8_o: f32):
    %x8_t = arith.mulf %x8_i0, %v7 : f32
    linalg.yield %x8_t : f32
  } -> tensor<4x50x16xf32>
  %v9 = arith.constant 0.0 : f32
  %v10 = tensor.empty() : tensor<4x1x50xf32>
  %v11 = linalg.fill ins(%v9 : f32) outs(%v10 : tensor<4x1x50xf32>) -> tensor<4x1x50xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(h, r, k, w) -> (h, r, w)>, affine_map<(h, r, k, w) -> (h, k, w)>, affine_map<(h, r, k, w) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a0, %v8 : tensor<4x1x16xf32>, tensor<4x50x16xf32>) outs(%v11 : tensor<4x1x50xf32>) {
  ^bb0(%x12_i0: f32, %x12_i1: f32, %x12_o: f32):
    %x12_t0 = arith.mulf %x12_i0, %x12_i1 : f32
    %x12_t1 = arith.addf %x12_o, %x12_t0 : f32
    linalg.yield %x12_t1 : f32
  } -> tensor<4x1x50xf32>
  return %v12 : tensor<4x1x50xf32>
}
