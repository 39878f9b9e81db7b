func.func @main(%a0: tensor<177x16xf32>, %a1: tensor<177x16xf32>, %a2: tensor<177x177xf32>) -> (tensor<177x177xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<177x177xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<177x177xf32>) -> tensor<177x177xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(r, k, w) -> (r, w)>, affine_map<(r, k, w) -> (k, w)>, affine_map<(r, k, w) -> (r, k)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<177x16xf32>, tensor<177x16xf32>) outs(%v3 : tensor<177x177xf32>) {
  ^bb0(%x4_i0: f32, %x4_i1: f32, %x4_o: f32):
    %x4_t0 = arith.mulf %x4_i0, %x4_i1 : f32
    %x4_t1 = arith.addf %x4_o, %x4_t0 : f32
    linalg.yield %x4_t1 : f32
  } -> tensor<177x177xf32>
  %v5 = tensor.empty() : tensor<177x177xf32>
  %v6 = linalg.softmax dimension(1) ins(%v4 : tensor<177x177xf32>) outs(%v5 : tensor<177x177xf32>) -> tensor<177x177xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (k, c)>, affine_map<(r, c, k) -> (c, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v6, %a2 : tensor<177x177xf32>, tensor<177x177xf32>) outs(%v4 : tensor<177x177xf32>) {
  ^bb0(%x7_i0: f32, %x7_i1: f32, %x7_o: f32):
    %x7_t0 = arith.mulf %x7_i0, %x7_i1 : f32
    %x7_t1 = arith.addf %x7_o, %x7_t0 : f32
    linalg.yield %x7_t1 : f32
  } -> tensor<177x177xf32>
  return %v7 : tensor<177x177xf32>
}
