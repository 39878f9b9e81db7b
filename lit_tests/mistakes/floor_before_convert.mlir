// RUN: %{mistake}
// Fractions of negative numbers are cut off, not rounded down.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>) -> tensor<64x96xi32> {
  %e = tensor.empty() : tensor<64x96xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf32>) outs(%e : tensor<64x96xi32>) {
  ^bb0(%a: f32, %o: i32):
    //right %y = arith.fptosi %a : f32 to i32
    //wrong %n = math.floor %a : f32
    //wrong %y = arith.fptosi %n : f32 to i32
    linalg.yield %y : i32
  } -> tensor<64x96xi32>
  return %r : tensor<64x96xi32>
}
