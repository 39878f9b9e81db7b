// RUN: %golden %s
// By a rule that the op asks for.
// golden: cpu_v4
func.func @f(%a: tensor<16x12xf32>, %b: tensor<12x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul {tune.choices = {rule = "plain"}} ins(%a, %b : tensor<16x12xf32>, tensor<12x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
