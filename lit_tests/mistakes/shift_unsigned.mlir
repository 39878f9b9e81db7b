// RUN: %{mistake}
// A shift by a constant below the width is defined for all integers: some are negative.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi32>) -> tensor<64x96xi32> {
  %c3 = arith.constant 3 : i32
  %e = tensor.empty() : tensor<64x96xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xi32>) outs(%e : tensor<64x96xi32>) {
  ^bb0(%a: i32, %o: i32):
    //right %y = arith.shrsi %a, %c3 : i32
    //wrong %y = arith.shrui %a, %c3 : i32
    linalg.yield %y : i32
  } -> tensor<64x96xi32>
  return %r : tensor<64x96xi32>
}
