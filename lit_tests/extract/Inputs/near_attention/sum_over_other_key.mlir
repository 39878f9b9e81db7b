func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x47xf32>, %a2: tensor<1x47x16xf32>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x47xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x47xf32>) outs(%v3 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v5 = tensor.empty() : tensor<1x32x47xf32>
  %v6 = linalg.softmax dimension(2) ins(%v4 : tensor<1x32x47xf32>) outs(%v5 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v7 = arith.constant 0.0 : f32
  %v8 = tensor.empty() : tensor<1x32x47xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(h, r, k, j) -> (h, r, k)>, affine_map<(h, r, k, j) -> (h, r, j)>, affine_map<(h, r, k, j) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v6, %v6 : tensor<1x32x47xf32>, tensor<1x32x47xf32>) outs(%v9 : tensor<1x32x47xf32>) {
  ^bb0(%x10_i0: f32, %x10_i1: f32, %x10_o: f32):
    %x10_t = arith.addf %x10_o, %x10_i0 : f32
    linalg.yield %x10_t : f32
  } -> tensor<1x32x47xf32>
  %v11 = tensor.empty() : tensor<1x32x47xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v6, %v10 : tensor<1x32x47xf32>, tensor<1x32x47xf32>) outs(%v11 : tensor<1x32x47xf32>) {
  ^bb0(%x12_i0: f32, %x12_i1: f32, %x12_o: f32):
    %x12_t = arith.mulf %x12_i0, %x12_i1 : f32
    linalg.yield %x12_t : f32
  } -> tensor<1x32x47xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<1x32x16xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v16 = linalg.batch_matmul ins(%v12, %a2 : tensor<1x32x47xf32>, tensor<1x47x16xf32>) outs(%v15 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v16 : tensor<1x32x16xf32>
}
