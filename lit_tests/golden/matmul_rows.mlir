// RUN: %golden %s
// A matrix product of many rows, which are read ahead.
// golden: cpu_v4
func.func @f(%a: tensor<8192x64xf32>, %b: tensor<64x32xf32>)
    -> tensor<8192x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8192x32xf32>) -> tensor<8192x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8192x64xf32>, tensor<64x32xf32>)
      outs(%z : tensor<8192x32xf32>) -> tensor<8192x32xf32>
  return %p : tensor<8192x32xf32>
}
