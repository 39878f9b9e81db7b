// RUN: %golden %s
// A matrix product whose weights are packed ahead of all calls.
// golden: cpu_v4
// golden: cpu_v4 threads=2
// golden: cpu_v4 weights=each_call
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x96xf32> {tune.constant})
    -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x96xf32>)
      outs(%z : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %p : tensor<64x96xf32>
}
