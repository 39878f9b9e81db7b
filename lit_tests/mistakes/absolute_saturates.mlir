// RUN: %{mistake}
// The smallest integer is its own absolute value.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi32>) -> tensor<64x96xi32> {
  %top = arith.constant 2147483647 : i32
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x96xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xi32>) outs(%e : tensor<64x96xi32>) {
  ^bb0(%a: i32, %o: i32):
    //right %y = math.absi %a : i32
    //wrong %m = math.absi %a : i32
    //wrong %u = arith.minui %m, %top : i32
    //wrong %y = arith.addi %u, %z : i32
    linalg.yield %y : i32
  } -> tensor<64x96xi32>
  return %r : tensor<64x96xi32>
}
