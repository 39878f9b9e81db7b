// RUN: %golden %s
// Sums of columns of a matrix that is larger than the second cache.
// golden: cpu_v4
func.func @f(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1024x1024xf32>) outs(%z : tensor<1024xf32>) dimensions = [0] {tune.choices = {rule = "reduction"}}
  return %r : tensor<1024xf32>
}
