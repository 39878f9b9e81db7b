// RUN: %{mistake}
// A mask of i1 that is extended by its sign is all ones.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi1>, %x1: tensor<64x96xi32>) -> tensor<64x96xi32> {
  %e = tensor.empty() : tensor<64x96xi32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi1>, tensor<64x96xi32>) outs(%e : tensor<64x96xi32>) {
  ^bb0(%a: i1, %b: i32, %o: i32):
    //right %m = arith.extsi %a : i1 to i32
    //right %y = arith.xori %m, %b : i32
    //wrong %m = arith.extui %a : i1 to i32
    //wrong %y = arith.xori %m, %b : i32
    linalg.yield %y : i32
  } -> tensor<64x96xi32>
  return %r : tensor<64x96xi32>
}
