// RUN: %{mistake}
// Nor is a divisor's sign lost.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi32>, %x1: tensor<64x96xi32>) -> tensor<64x96xi32> {
  %e = tensor.empty() : tensor<64x96xi32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi32>, tensor<64x96xi32>) outs(%e : tensor<64x96xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    //right %s = math.absi %b : i32
    //right %y = arith.divsi %a, %s : i32
    //wrong %y = arith.divsi %a, %b : i32
    linalg.yield %y : i32
  } -> tensor<64x96xi32>
  return %r : tensor<64x96xi32>
}
