// Nobody uses the softmax, and no shader has exp of f64. There is no task here.
func.func @main(%a: tensor<1xf16>, %b: tensor<15x32xf64>) -> tensor<1x1xf64> {
  %e0 = tensor.empty() : tensor<15x32xf64>
  %dead = linalg.softmax dimension(1) ins(%b : tensor<15x32xf64>) outs(%e0 : tensor<15x32xf64>) -> tensor<15x32xf64>
  %e1 = tensor.empty() : tensor<1x1xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1xf16>) outs(%e1 : tensor<1x1xf64>) {
    ^bb0(%x: f16, %_: f64):
      %y = arith.extf %x : f16 to f64
      linalg.yield %y : f64
  } -> tensor<1x1xf64>
  return %r : tensor<1x1xf64>
}
