func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x48xf32>, %a2: tensor<1x48x16xf32>, %a3: tensor<48x1xi64>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x48xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x48xf32>) outs(%v3 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v5 = arith.constant -9.0 : f32
  %v6 = tensor.empty() : tensor<48xi1>
  %v7 = linalg.generic {indexing_maps = [affine_map<(k, u) -> (k, u)>, affine_map<(k, u) -> (k)>], iterator_types = ["parallel", "reduction"]} ins(%a3 : tensor<48x1xi64>) outs(%v6 : tensor<48xi1>) {
  ^bb0(%x7_i0: i64, %x7_o: i1):
    %x7_tu = linalg.index 1 : index
    %x7_ti = arith.index_cast %x7_tu : index to i64
    %x7_t = arith.cmpi sgt, %x7_i0, %x7_ti : i64
    linalg.yield %x7_t : i1
  } -> tensor<48xi1>
  %v8 = tensor.empty() : tensor<1x32x48xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (k)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4, %v7 : tensor<1x32x48xf32>, tensor<48xi1>) outs(%v8 : tensor<1x32x48xf32>) {
  ^bb0(%x9_i0: f32, %x9_i1: i1, %x9_o: f32):
    %x9_t = arith.select %x9_i1, %x9_i0, %v5 : f32
    linalg.yield %x9_t : f32
  } -> tensor<1x32x48xf32>
  %v10 = tensor.empty() : tensor<1x32x48xf32>
  %v11 = linalg.softmax dimension(2) ins(%v9 : tensor<1x32x48xf32>) outs(%v10 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v12 = arith.constant 0.0 : f32
  %v13 = tensor.empty() : tensor<1x32x16xf32>
  %v14 = linalg.fill ins(%v12 : f32) outs(%v13 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v15 = linalg.batch_matmul ins(%v11, %a2 : tensor<1x32x48xf32>, tensor<1x48x16xf32>) outs(%v14 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v15 : tensor<1x32x16xf32>
}
