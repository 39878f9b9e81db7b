func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x48xf32>, %a2: tensor<1x48x16xf32>, %a3: tensor<48xi1>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x48xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x48xf32>) outs(%v3 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = arith.constant -9.0 : f32
  %v7 = tensor.empty() : tensor<1x32x48xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4 : tensor<1x32x48xf32>) outs(%v7 : tensor<1x32x48xf32>) {
  ^bb0(%x8_i0: f32, %x8_o: f32):
    %x8_tc = arith.cmpf ogt, %x8_i0, %v5 : f32
    %x8_t = scf.if %x8_tc -> (f32) { scf.yield %x8_i0 : f32 } else { scf.yield %v5 : f32 }
    linalg.yield %x8_t : f32
  } -> tensor<1x32x48xf32>
  %v9 = tensor.empty() : tensor<1x32x48xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (k)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v8, %a3 : tensor<1x32x48xf32>, tensor<48xi1>) outs(%v9 : tensor<1x32x48xf32>) {
  ^bb0(%x10_i0: f32, %x10_i1: i1, %x10_o: f32):
    %x10_t = arith.select %x10_i1, %x10_i0, %v6 : f32
    linalg.yield %x10_t : f32
  } -> tensor<1x32x48xf32>
  %v11 = tensor.empty() : tensor<1x32x48xf32>
  %v12 = linalg.softmax dimension(2) ins(%v10 : tensor<1x32x48xf32>) outs(%v11 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<1x32x16xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v16 = linalg.batch_matmul ins(%v12, %a2 : tensor<1x32x48xf32>, tensor<1x48x16xf32>) outs(%v15 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v16 : tensor<1x32x16xf32>
}
