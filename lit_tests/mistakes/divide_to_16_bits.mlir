// RUN: %{mistake}
// Both sides of a division have all 64 bits.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi64>, %x1: tensor<64x96xi64>) -> tensor<64x96xi64> {
  %e = tensor.empty() : tensor<64x96xi64>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi64>, tensor<64x96xi64>) outs(%e : tensor<64x96xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    //right %y = arith.divsi %a, %b : i64
    //wrong %s = arith.trunci %a : i64 to i16
    //wrong %t = arith.trunci %b : i64 to i16
    //wrong %u = arith.extsi %s : i16 to i64
    //wrong %v = arith.extsi %t : i16 to i64
    //wrong %w = arith.constant 1 : i64
    //wrong %z = arith.constant 0 : i64
    //wrong %q = arith.cmpi eq, %v, %z : i64
    //wrong %p = arith.select %q, %w, %v : i64
    //wrong %y = arith.divsi %u, %p : i64
    linalg.yield %y : i64
  } -> tensor<64x96xi64>
  return %r : tensor<64x96xi64>
}
