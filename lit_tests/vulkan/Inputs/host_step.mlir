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

// Two steps on the host.
func.func @two(%a0: tensor<31x8xf64>, %a1: tensor<7x5x3xf64>, %a2: tensor<7x5x3xf64>) -> (tensor<31x8xf64>, tensor<7x5x3xf64>) {
  %e0 = tensor.empty() : tensor<31x8xf64>
  %exp = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<31x8xf64>)
      outs(%e0 : tensor<31x8xf64>) {
    ^bb0(%x: f64, %_: f64):
      %f = math.exp %x : f64
      linalg.yield %f : f64
  } -> tensor<31x8xf64>
  %e1 = tensor.empty() : tensor<7x5x3xf64>
  %tanh = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a1, %a2 : tensor<7x5x3xf64>, tensor<7x5x3xf64>)
      outs(%e1 : tensor<7x5x3xf64>) {
    ^bb0(%x: f64, %y: f64, %_: f64):
      %f = math.tanh %x : f64
      %sum = arith.addf %f, %y : f64
      linalg.yield %sum : f64
  } -> tensor<7x5x3xf64>
  return %exp, %tanh : tensor<31x8xf64>, tensor<7x5x3xf64>
}

// A softmax of one number.
func.func @single(%a: tensor<1xf64>) -> tensor<1xf64> {
  %e = tensor.empty() : tensor<1xf64>
  %r = linalg.softmax dimension(0) ins(%a : tensor<1xf64>) outs(%e : tensor<1xf64>) -> tensor<1xf64>
  return %r : tensor<1xf64>
}
