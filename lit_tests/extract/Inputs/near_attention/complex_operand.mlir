func.func @main(%a0: tensor<1x32x16xf32>, %a1: tensor<1x16x47xf32>, %a2: tensor<1x47x16xf32>, %a3: tensor<47xf32>) -> (tensor<1x32x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x32x47xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v4 = linalg.batch_matmul ins(%a0, %a1 : tensor<1x32x16xf32>, tensor<1x16x47xf32>) outs(%v3 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v5 = tensor.empty() : tensor<47xcomplex<f32>>
  %v6 = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]} ins(%a3 : tensor<47xf32>) outs(%v5 : tensor<47xcomplex<f32>>) {
  ^bb0(%x6_i0: f32, %x6_o: complex<f32>):
    %x6_t = complex.create %x6_i0, %x6_i0 : complex<f32>
    linalg.yield %x6_t : complex<f32>
  } -> tensor<47xcomplex<f32>>
  %v7 = tensor.empty() : tensor<1x32x47xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, r, k) -> (h, r, k)>, affine_map<(h, r, k) -> (k)>, affine_map<(h, r, k) -> (h, r, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4, %v6 : tensor<1x32x47xf32>, tensor<47xcomplex<f32>>) outs(%v7 : tensor<1x32x47xf32>) {
  ^bb0(%x8_i0: f32, %x8_i1: complex<f32>, %x8_o: f32):
    %x8_tr = complex.re %x8_i1 : complex<f32>
    %x8_t = arith.addf %x8_i0, %x8_tr : f32
    linalg.yield %x8_t : f32
  } -> tensor<1x32x47xf32>
  %v9 = tensor.empty() : tensor<1x32x47xf32>
  %v10 = linalg.softmax dimension(2) ins(%v8 : tensor<1x32x47xf32>) outs(%v9 : tensor<1x32x47xf32>) -> tensor<1x32x47xf32>
  %v11 = arith.constant 0.0 : f32
  %v12 = tensor.empty() : tensor<1x32x16xf32>
  %v13 = linalg.fill ins(%v11 : f32) outs(%v12 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  %v14 = linalg.batch_matmul ins(%v10, %a2 : tensor<1x32x47xf32>, tensor<1x47x16xf32>) outs(%v13 : tensor<1x32x16xf32>) -> tensor<1x32x16xf32>
  return %v14 : tensor<1x32x16xf32>
}
