// RUN: %golden %s
// A matrix product whose sizes fill no tiles, with B transposed.
// golden: cpu_v3
// golden: cpu_v4
// golden: vulkan:generic
// golden: vulkan:generic edges=0
// golden: cuda_sm_80
func.func @f(%a: tensor<37x33xf32>, %b: tensor<50x33xf32>)
    -> tensor<37x50xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x50xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<37x50xf32>) -> tensor<37x50xf32>
  %p = linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<37x33xf32>, tensor<50x33xf32>)
      outs(%z : tensor<37x50xf32>) -> tensor<37x50xf32>
  return %p : tensor<37x50xf32>
}
