// RUN: %golden %s
// The sum of everything.
// golden: cpu_v4
// golden: cpu_v4 threads=2
func.func @f(%x: tensor<64x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}
