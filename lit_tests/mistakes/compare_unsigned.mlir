// RUN: %{mistake}
// A signed comparison of 64 bits.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi64>, %x1: tensor<64x96xi64>) -> tensor<64x96xi1> {
  %e = tensor.empty() : tensor<64x96xi1>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi64>, tensor<64x96xi64>) outs(%e : tensor<64x96xi1>) {
  ^bb0(%a: i64, %b: i64, %o: i1):
    //right %y = arith.cmpi slt, %a, %b : i64
    //wrong %y = arith.cmpi ult, %a, %b : i64
    linalg.yield %y : i1
  } -> tensor<64x96xi1>
  return %r : tensor<64x96xi1>
}
