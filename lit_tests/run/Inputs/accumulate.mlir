// Writes one argument, takes a scalar, returns a tensor of rank 0 and one of integers.
func.func @accumulate(%x: tensor<?x4xf64>, %scale: f64, %sum: tensor<?x4xf64>)
    -> (tensor<?x4xf64>, tensor<f64>, tensor<4xi32>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i32
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf64>) outs(%sum : tensor<?x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %product = arith.mulf %in, %scale : f64
      %new = arith.addf %product, %out : f64
      linalg.yield %new : f64
    } -> tensor<?x4xf64>
  %e1 = tensor.empty() : tensor<f64>
  %i1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<f64>) -> tensor<f64>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x4xf64>) outs(%i1 : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %new = arith.addf %in, %out : f64
      linalg.yield %new : f64
    } -> tensor<f64>
  %e2 = tensor.empty() : tensor<4xi32>
  %2 = linalg.fill ins(%one : i32) outs(%e2 : tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<?x4xf64>, tensor<f64>, tensor<4xi32>
}
