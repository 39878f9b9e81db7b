// RUN: %golden %s
// Sums of columns that fill no vectors.
// golden: cpu_v4
// golden: cpu_v4 loops=super_vectors
func.func @f(%x: tensor<40x36xf32>) -> tensor<36xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<36xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<36xf32>) -> tensor<36xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<40x36xf32>) outs(%z : tensor<36xf32>) dimensions = [0]
  return %r : tensor<36xf32>
}
