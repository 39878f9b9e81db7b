// RUN: %golden %s
// Attention of one head.
// golden: cpu_v4
// golden: cpu_v4 threads=2
func.func @f(%q: tensor<16x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %scores = linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : tensor<16x16xf32>, tensor<32x16xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>)
      -> tensor<16x32xf32>
  %e2 = tensor.empty() : tensor<16x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.matmul ins(%weights, %v : tensor<16x32xf32>, tensor<32x16xf32>)
      outs(%z2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
