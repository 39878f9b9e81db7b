// RUN: %{mistake}
// Integers that become floats are not those of a byte alone.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi32>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xi32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: i32, %o: f32):
    //right %y = arith.sitofp %a : i32 to f32
    //wrong %s = arith.trunci %a : i32 to i8
    //wrong %t = arith.extsi %s : i8 to i32
    //wrong %y = arith.sitofp %t : i32 to f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
