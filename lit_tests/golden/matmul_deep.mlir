// RUN: %golden %s
// A matrix product whose depth may be split.
// golden: cpu_v4 depth_split=split
// golden: cpu_v4 threads=2
// golden: cuda_sm_90
func.func @f(%a: tensor<16x2048xf32>, %b: tensor<2048x64xf32>)
    -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<16x2048xf32>, tensor<2048x64xf32>)
      outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %p : tensor<16x64xf32>
}
