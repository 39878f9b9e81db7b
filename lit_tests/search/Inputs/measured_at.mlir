// A layer that is measured with 24 rows.
func.func @main(%x: tensor<?x32xf32> {tune.measured_at = array<i64: 24, 32>}, %w: tensor<32x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%rows) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = linalg.softmax dimension(1) ins(%y : tensor<?x16xf32>) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}
