// RUN: %golden %s
// A batch of matrix products.
// golden: cpu_v4
// golden: cuda_sm_80
func.func @f(%a: tensor<3x32x64xf32>, %b: tensor<3x64x32xf32>)
    -> tensor<3x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %p = linalg.batch_matmul ins(%a, %b : tensor<3x32x64xf32>, tensor<3x64x32xf32>)
      outs(%z : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  return %p : tensor<3x32x32xf32>
}
