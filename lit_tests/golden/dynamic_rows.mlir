// RUN: %golden %s
// A matrix product whose rows are known at run time only.
// golden: cpu_v4
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x48xf32>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %rows = tensor.dim %a, %first : tensor<?x64xf32>
  %e = tensor.empty(%rows) : tensor<?x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x48xf32>)
      outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
