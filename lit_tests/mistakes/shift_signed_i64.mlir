// RUN: %{mistake}
// The other way round, in 64 bits.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi64>) -> tensor<64x96xi64> {
  %c3 = arith.constant 3 : i64
  %e = tensor.empty() : tensor<64x96xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xi64>) outs(%e : tensor<64x96xi64>) {
  ^bb0(%a: i64, %o: i64):
    //right %y = arith.shrui %a, %c3 : i64
    //wrong %y = arith.shrsi %a, %c3 : i64
    linalg.yield %y : i64
  } -> tensor<64x96xi64>
  return %r : tensor<64x96xi64>
}
