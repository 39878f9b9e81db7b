func.func @main(%a: tensor<64x48xf64>, %b: tensor<48x32xf64>) -> tensor<64x32xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<64x48xf64>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x48xf64>) outs(%e : tensor<64x48xf64>) {
  ^bb0(%v: f64, %o: f64):
    %t = math.exp %v : f64
    linalg.yield %t : f64
  } -> tensor<64x48xf64>
  %f = tensor.empty() : tensor<64x32xf64>
  %g = linalg.fill ins(%z : f64) outs(%f : tensor<64x32xf64>) -> tensor<64x32xf64>
  %p = linalg.matmul ins(%x, %b : tensor<64x48xf64>, tensor<48x32xf64>) outs(%g : tensor<64x32xf64>) -> tensor<64x32xf64>
  return %p : tensor<64x32xf64>
}
// In a loop, by the user's wish.
func.func @loop(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<16x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> tensor<16x8xf32> {
    %y = linalg.exp ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
    %z = linalg.negf {tune.choices = {rule = "host"}} ins(%y : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
    scf.yield %z : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}
// Two of them, each of which has its own code.
func.func @two(%a: tensor<64x48xf64>) -> (tensor<64x48xf64>, tensor<64x48xf64>) {
  %e = tensor.empty() : tensor<64x48xf64>
  %x = linalg.exp ins(%a : tensor<64x48xf64>) outs(%e : tensor<64x48xf64>) -> tensor<64x48xf64>
  %y = linalg.tanh ins(%a : tensor<64x48xf64>) outs(%e : tensor<64x48xf64>) -> tensor<64x48xf64>
  return %x, %y : tensor<64x48xf64>, tensor<64x48xf64>
}
