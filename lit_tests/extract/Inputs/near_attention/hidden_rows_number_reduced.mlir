func.func @main(%a0: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %v1 = arith.constant 0xFF800000 : f32
  %v2 = tensor.empty() : tensor<8x16xi1>
  %v3 = linalg.generic {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r, k)>], iterator_types = ["parallel", "parallel"]} ins(%a0 : tensor<8x16xf32>) outs(%v2 : tensor<8x16xi1>) {
  ^bb0(%x3_i0: f32, %x3_o: i1):
    %x3_t = arith.cmpf oeq, %x3_i0, %v1 : f32
    linalg.yield %x3_t : i1
  } -> tensor<8x16xi1>
  %v4 = arith.constant true
  %v5 = tensor.empty() : tensor<8xi1>
  %v6 = linalg.fill ins(%v4 : i1) outs(%v5 : tensor<8xi1>) -> tensor<8xi1>
  %v7 = linalg.generic {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%v3 : tensor<8x16xi1>) outs(%v6 : tensor<8xi1>) {
  ^bb0(%x7_i0: i1, %x7_o: i1):
    %x7_t = arith.andi %x7_i0, %x7_o : i1
    linalg.yield %x7_t : i1
  } -> tensor<8xi1>
  %v8 = arith.constant 0xFF800000 : f32
  %v9 = tensor.empty() : tensor<8xf32>
  %v10 = linalg.fill ins(%v8 : f32) outs(%v9 : tensor<8xf32>) -> tensor<8xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<8x16xf32>) outs(%v10 : tensor<8xf32>) {
  ^bb0(%x11_i0: f32, %x11_o: f32):
    %x11_t = arith.maximumf %x11_i0, %x11_o : f32
    linalg.yield %x11_t : f32
  } -> tensor<8xf32>
  %v12 = arith.constant dense<1.0> : tensor<8x16xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = arith.constant 0.0 : f32
  %v15 = tensor.empty() : tensor<8xf32>
  %v16 = linalg.fill ins(%v14 : f32) outs(%v15 : tensor<8xf32>) -> tensor<8xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(r, k) -> (r)>, affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%v7, %v12 : tensor<8xi1>, tensor<8x16xf32>) outs(%v16 : tensor<8xf32>) {
  ^bb0(%x17_i0: i1, %x17_i1: f32, %x17_o: f32):
    %x17_t = arith.select %x17_i0, %x17_i1, %v13 : f32
    %x17_t1 = arith.addf %x17_t, %x17_o : f32
    linalg.yield %x17_t1 : f32
  } -> tensor<8xf32>
  return %v11, %v17 : tensor<8xf32>, tensor<8xf32>
}
