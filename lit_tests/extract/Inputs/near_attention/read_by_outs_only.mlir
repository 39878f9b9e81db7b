func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x47xf32>, %a2: tensor<1x47x16xf32>, %a3: tensor<32xf32>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x47xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x47xf32>) outs(%v3 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v5 = tensor.empty() : tensor<1x32x47xf32>
  %v6 = linalg.softmax dimension(2) ins(%v4 : tensor<1x32x47xf32>) outs(%v5 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (r)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a3 : tensor<32xf32>) outs(%v4 : tensor<1x32x47xf32>) {
  ^bb0(%x7_i0: f32, %x7_o: f32):
    %x7_t = arith.mulf %x7_i0, %x7_o : f32
    linalg.yield %x7_t : f32
  } -> tensor<1x32x47xf32>
  %v8 = tensor.empty() : tensor<1x32x47xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v6, %v7 : tensor<1x32x47xf32>, tensor<1x32x47xf32>) outs(%v8 : tensor<1x32x47xf32>) {
  ^bb0(%x9_i0: f32, %x9_i1: f32, %x9_o: f32):
    %x9_t = arith.mulf %x9_i0, %x9_i1 : f32
    linalg.yield %x9_t : f32
  } -> tensor<1x32x47xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = tensor.empty() : tensor<1x32x16xf32>
  %v12 = linalg.fill ins(%v10 : f32) outs(%v11 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v13 = linalg.batch_matmul ins(%v9, %a2 : tensor<1x32x47xf32>, tensor<1x47x16xf32>) outs(%v12 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v13 : tensor<1x32x16xf32>
}
