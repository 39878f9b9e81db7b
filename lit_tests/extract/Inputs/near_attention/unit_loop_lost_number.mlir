func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x48xf32>, %a2: tensor<1x48x16xf32>, %a3: tensor<48xi1>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x48xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x48xf32>) outs(%v3 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v5 = arith.constant dense<0.5> : tensor<48x1xf32>
  %v6 = tensor.empty() : tensor<1x32x48xf32>
  %v7 = arith.constant -9.0 : f32
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, r, k, u) -> (h, r, k)>, affine_map<(h, r, k, u) -> (k)>, affine_map<(h, r, k, u) -> (k, u)>, affine_map<(h, r, k, u) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %a3, %v5 : tensor<1x32x48xf32>, tensor<48xi1>, tensor<48x1xf32>) outs(%v6 : tensor<1x32x48xf32>) {
  ^bb0(%x8_i0: f32, %x8_i1: i1, %x8_i2: f32, %x8_o: f32):
    %x8_t0 = arith.mulf %x8_i0, %x8_i2 : f32
    %x8_t = arith.select %x8_i1, %x8_t0, %v7 : f32
    linalg.yield %x8_t : f32
  } -> tensor<1x32x48xf32>
  %v9 = tensor.empty() : tensor<1x32x48xf32>
  %v10 = linalg.softmax dimension(2) ins(%v8 : tensor<1x32x48xf32>) outs(%v9 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v11 = arith.constant 0.0 : f32
  %v12 = tensor.empty() : tensor<1x32x16xf32>
  %v13 = linalg.fill ins(%v11 : f32) outs(%v12 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v14 = linalg.batch_matmul ins(%v10, %a2 : tensor<1x32x48xf32>, tensor<1x48x16xf32>) outs(%v13 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v14 : tensor<1x32x16xf32>
}
