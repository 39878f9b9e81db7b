func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x47xf32>, %a2: tensor<1x47x16xf32>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x47xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x47xf32>) outs(%v3 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v5 = arith.constant 0xFF800000 : f32
  %v6 = tensor.empty() : tensor<1x32xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v4 : tensor<1x32x47xf32>) outs(%v7 : tensor<1x32xf32>) {
  ^bb0(%x8_i0: f32, %x8_o: f32):
    %x8_t = arith.maximumf %x8_i0, %x8_o : f32
    linalg.yield %x8_t : f32
  } -> tensor<1x32xf32>
  %v9 = tensor.empty() : tensor<1x32x47xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4, %v8 : tensor<1x32x47xf32>, tensor<1x32xf32>) outs(%v9 : tensor<1x32x47xf32>) {
  ^bb0(%x10_i0: f32, %x10_i1: f32, %x10_o: f32):
    %x10_t0 = arith.subf %x10_i0, %x10_i1 : f32
    %x10_t1 = math.exp %x10_t0 : f32
    linalg.yield %x10_t1 : f32
  } -> tensor<1x32x47xf32>
  %v11 = arith.constant 0.0 : f32
  %v12 = tensor.empty() : tensor<1x32xf32>
  %v13 = linalg.fill ins(%v11 : f32) outs(%v12 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v10 : tensor<1x32x47xf32>) outs(%v13 : tensor<1x32xf32>) {
  ^bb0(%x14_i0: f32, %x14_o: f32):
    %x14_t = arith.addf %x14_i0, %x14_o : f32
    linalg.yield %x14_t : f32
  } -> tensor<1x32xf32>
  %v15 = arith.constant 47 : index
  %v16 = tensor.empty() : tensor<1x32x47xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v14 : tensor<1x32xf32>) outs(%v16 : tensor<1x32x47xf32>) {
  ^bb0(%x17_i0: f32, %x17_o: f32):
    %x17_tk = linalg.index 2 : index
    %x17_td = arith.subi %v15, %x17_tk : index
    %x17_ti = arith.index_cast %x17_td : index to i32
    %x17_tf = arith.sitofp %x17_ti : i32 to f32
    %x17_t = arith.mulf %x17_i0, %x17_tf : f32
    linalg.yield %x17_t : f32
  } -> tensor<1x32x47xf32>
  %v18 = tensor.empty() : tensor<1x32x47xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v10, %v17 : tensor<1x32x47xf32>, tensor<1x32x47xf32>) outs(%v18 : tensor<1x32x47xf32>) {
  ^bb0(%x19_i0: f32, %x19_i1: f32, %x19_o: f32):
    %x19_t = arith.divf %x19_i0, %x19_i1 : f32
    linalg.yield %x19_t : f32
  } -> tensor<1x32x47xf32>
  %v20 = arith.constant 0.0 : f32
  %v21 = tensor.empty() : tensor<1x32x16xf32>
  %v22 = linalg.fill ins(%v20 : f32) outs(%v21 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v23 = linalg.batch_matmul ins(%v19, %a2 : tensor<1x32x47xf32>, tensor<1x47x16xf32>) outs(%v22 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v23 : tensor<1x32x16xf32>
}
