// RUN: %golden %s
// A matrix product of f32 whose factors may be rounded to tf32.
// golden: cuda_sm_80
// golden: cuda_sm_90 rows=64,warps_y=4,warps_x=1,tensor_cores=2
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul {tune.allow = ["tf32"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
