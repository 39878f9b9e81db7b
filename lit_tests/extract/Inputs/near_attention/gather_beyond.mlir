func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x1015xf32>, %a2: tensor<1x1015x16xf32>, %a3: tensor<32x1015xf32>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x1015xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x1015xf32>) -> tensor<1x32x1015xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x1015xf32>) outs(%v3 : tensor<1x32x1015xf32>) -> tensor<1x32x1015xf32>
  %v5 = tensor.empty() : tensor<1x32x1015xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4 : tensor<1x32x1015xf32>) outs(%v5 : tensor<1x32x1015xf32>) {
  ^bb0(%x6_i0: f32, %x6_o: f32):
    %x6_tr = linalg.index 1 : index
    %x6_tk = linalg.index 2 : index
    %x6_tx = tensor.extract %a3[%x6_tr, %x6_tk] : tensor<32x1015xf32>
    %x6_t = arith.addf %x6_i0, %x6_tx : f32
    linalg.yield %x6_t : f32
  } -> tensor<1x32x1015xf32>
  %v7 = tensor.empty() : tensor<1x32x1015xf32>
  %v8 = linalg.softmax dimension(2) ins(%v6 : tensor<1x32x1015xf32>) outs(%v7 : tensor<1x32x1015xf32>) -> tensor<1x32x1015xf32>
  %v9 = arith.constant 0.0 : f32
  %v10 = tensor.empty() : tensor<1x32x16xf32>
  %v11 = linalg.fill ins(%v9 : f32) outs(%v10 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v12 = linalg.batch_matmul ins(%v8, %a2 : tensor<1x32x1015xf32>, tensor<1x1015x16xf32>) outs(%v11 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v12 : tensor<1x32x16xf32>
}
