func.func @main(%a0: tensor<2x62x32xf32>, %a1: tensor<2x62x32xf32>, %a2: tensor<2x62x32xf32>) -> (tensor<2x62x32xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<2x62x62xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<2x62x62xf32>) -> tensor<2x62x62xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(h, r, k, w) -> (h, r, w)>, affine_map<(h, r, k, w) -> (h, k, w)>, affine_map<(h, r, k, w) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<2x62x32xf32>, tensor<2x62x32xf32>) outs(%v3 : tensor<2x62x62xf32>) {
  ^bb0(%x4_i0: f32, %x4_i1: f32, %x4_o: f32):
    %x4_t0 = arith.mulf %x4_i0, %x4_i1 : f32
    %x4_t1 = arith.addf %x4_o, %x4_t0 : f32
    linalg.yield %x4_t1 : f32
  } -> tensor<2x62x62xf32>
  %v5 = arith.constant 62 : index
  %v6 = arith.constant 0 : index
  %v7 = arith.constant 0xFF800000 : f32
  %v8 = tensor.empty() : tensor<2x62x62xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4 : tensor<2x62x62xf32>) outs(%v8 : tensor<2x62x62xf32>) {
  ^bb0(%x9_i0: f32, %x9_o: f32):
    %x9_tr = linalg.index 1 : index
    %x9_tk = linalg.index 2 : index
    %x9_td = arith.subi %v5, %x9_tk : index
    %x9_te = arith.remsi %x9_tr, %x9_td : index
    %x9_tc = arith.cmpi eq, %x9_te, %v6 : index
    %x9_t = arith.select %x9_tc, %x9_i0, %v7 : f32
    linalg.yield %x9_t : f32
  } -> tensor<2x62x62xf32>
  %v10 = arith.constant 0xFF800000 : f32
  %v11 = tensor.empty() : tensor<2x62xf32>
  %v12 = linalg.fill ins(%v10 : f32) outs(%v11 : tensor<2x62xf32>) -> tensor<2x62xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v9 : tensor<2x62x62xf32>) outs(%v12 : tensor<2x62xf32>) {
  ^bb0(%x13_i0: f32, %x13_o: f32):
    %x13_t = arith.maximumf %x13_i0, %x13_o : f32
    linalg.yield %x13_t : f32
  } -> tensor<2x62xf32>
  %v14 = tensor.empty() : tensor<2x62x62xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v9, %v13 : tensor<2x62x62xf32>, tensor<2x62xf32>) outs(%v14 : tensor<2x62x62xf32>) {
  ^bb0(%x15_i0: f32, %x15_i1: f32, %x15_o: f32):
    %x15_t0 = arith.subf %x15_i0, %x15_i1 : f32
    %x15_t1 = math.exp %x15_t0 : f32
    linalg.yield %x15_t1 : f32
  } -> tensor<2x62x62xf32>
  %v16 = arith.constant 0.0 : f32
  %v17 = tensor.empty() : tensor<2x62xf32>
  %v18 = linalg.fill ins(%v16 : f32) outs(%v17 : tensor<2x62xf32>) -> tensor<2x62xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v15 : tensor<2x62x62xf32>) outs(%v18 : tensor<2x62xf32>) {
  ^bb0(%x19_i0: f32, %x19_o: f32):
    %x19_t = arith.addf %x19_i0, %x19_o : f32
    linalg.yield %x19_t : f32
  } -> tensor<2x62xf32>
  %v20 = tensor.empty() : tensor<2x62x62xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v15, %v19 : tensor<2x62x62xf32>, tensor<2x62xf32>) outs(%v20 : tensor<2x62x62xf32>) {
  ^bb0(%x21_i0: f32, %x21_i1: f32, %x21_o: f32):
    %x21_t0 = arith.divf %x21_i0, %x21_i1 : f32
    linalg.yield %x21_t0 : f32
  } -> tensor<2x62x62xf32>
  %v22 = arith.constant 0.0 : f32
  %v23 = tensor.empty() : tensor<2x62x32xf32>
  %v24 = linalg.fill ins(%v22 : f32) outs(%v23 : tensor<2x62x32xf32>) -> tensor<2x62x32xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(h, r, c, k) -> (h, r, k)>, affine_map<(h, r, c, k) -> (h, k, c)>, affine_map<(h, r, c, k) -> (h, r, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v21, %a2 : tensor<2x62x62xf32>, tensor<2x62x32xf32>) outs(%v24 : tensor<2x62x32xf32>) {
  ^bb0(%x25_i0: f32, %x25_i1: f32, %x25_o: f32):
    %x25_t0 = arith.mulf %x25_i0, %x25_i1 : f32
    %x25_t1 = arith.addf %x25_o, %x25_t0 : f32
    linalg.yield %x25_t1 : f32
  } -> tensor<2x62x32xf32>
  return %v25 : tensor<2x62x32xf32>
}
