// RUN: %{mistake}
// Beside products that are rounded there are others that are exact.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %factor = arith.constant 0.3 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %factor : f32
    //right %t = arith.cmpf oge, %p, %zero : f32
    //wrong %t = arith.cmpf ogt, %p, %zero : f32
    %y = arith.select %t, %a, %one : f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
