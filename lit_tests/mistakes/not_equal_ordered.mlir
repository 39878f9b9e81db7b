// RUN: %{mistake}
// NaN is not ordered, and so not unequal to a number.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>, %x1: tensor<64x96xf32>) -> tensor<64x96xi1> {
  %e = tensor.empty() : tensor<64x96xi1>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xi1>) {
  ^bb0(%a: f32, %b: f32, %o: i1):
    //right %y = arith.cmpf one, %a, %b : f32
    //wrong %y = arith.cmpf une, %a, %b : f32
    linalg.yield %y : i1
  } -> tensor<64x96xi1>
  return %r : tensor<64x96xi1>
}
