// RUN: %{mistake}
// What is cut off is not rounded.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>) -> tensor<64x96xi64> {
  %e = tensor.empty() : tensor<64x96xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf32>) outs(%e : tensor<64x96xi64>) {
  ^bb0(%a: f32, %o: i64):
    //right %y = arith.fptosi %a : f32 to i64
    //wrong %n = math.roundeven %a : f32
    //wrong %y = arith.fptosi %n : f32 to i64
    linalg.yield %y : i64
  } -> tensor<64x96xi64>
  return %r : tensor<64x96xi64>
}
