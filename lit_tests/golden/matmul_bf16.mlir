// RUN: %golden %s
// A matrix product of bf16 into f32.
// golden: cpu_v4_dot
// golden: cuda_sm_80
func.func @f(%a: tensor<64x96xbf16>, %b: tensor<96x64xbf16>)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x96xbf16>, tensor<96x64xbf16>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
