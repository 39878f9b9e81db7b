// RUN: %golden %s
// A matrix product of f16 whose depth groups of threads divide.
// golden: cuda_sm_90
func.func @f(%a: tensor<32x2048xf16>, %b: tensor<2048x64xf16>)
    -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x2048xf16>, tensor<2048x64xf16>)
      outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %p : tensor<32x64xf32>
}
