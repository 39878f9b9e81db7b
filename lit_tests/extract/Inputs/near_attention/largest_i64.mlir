func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x48xf32>, %a2: tensor<1x48x16xf32>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x48xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x48xf32>) outs(%v3 : tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
  %v5 = arith.constant dense<9223372036854775807> : tensor<1xi64>
  %v6 = arith.constant 0xFF800000 : f32
  %v7 = tensor.empty() : tensor<1x32x48xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (0)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4, %v5 : tensor<1x32x48xf32>, tensor<1xi64>) outs(%v7 : tensor<1x32x48xf32>) {
  ^bb0(%x8_i0: f32, %x8_i1: i64, %x8_o: f32):
    %x8_tk = linalg.index 2 : index
    %x8_ti = arith.index_cast %x8_tk : index to i64
    %x8_tc = arith.cmpi slt, %x8_ti, %x8_i1 : i64
    %x8_t = arith.select %x8_tc, %x8_i0, %v6 : f32
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
