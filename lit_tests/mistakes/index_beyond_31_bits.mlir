// RUN: %{mistake}
// Offsets go past 2^31.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi32>) -> tensor<64x96xi64> {
  %c = arith.constant 4096 : i64
  %e = tensor.empty() : tensor<64x96xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xi32>) outs(%e : tensor<64x96xi64>) {
  ^bb0(%a: i32, %o: i64):
    //right %w = arith.extsi %a : i32 to i64
    //right %y = arith.muli %w, %c : i64
    //wrong %t = arith.trunci %c : i64 to i32
    //wrong %p = arith.muli %a, %t : i32
    //wrong %y = arith.extsi %p : i32 to i64
    linalg.yield %y : i64
  } -> tensor<64x96xi64>
  return %r : tensor<64x96xi64>
}
