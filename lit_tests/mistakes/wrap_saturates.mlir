// RUN: %{mistake}
// Sums of integers wrap around.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi8>, %x1: tensor<64x96xi8>) -> tensor<64x96xi8> {
  %hi = arith.constant 127 : i16
  %lo = arith.constant -128 : i16
  %e = tensor.empty() : tensor<64x96xi8>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi8>, tensor<64x96xi8>) outs(%e : tensor<64x96xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    //right %y = arith.addi %a, %b : i8
    //wrong %s = arith.extsi %a : i8 to i16
    //wrong %t = arith.extsi %b : i8 to i16
    //wrong %u = arith.addi %s, %t : i16
    //wrong %v = arith.minsi %u, %hi : i16
    //wrong %w = arith.maxsi %v, %lo : i16
    //wrong %y = arith.trunci %w : i16 to i8
    linalg.yield %y : i8
  } -> tensor<64x96xi8>
  return %r : tensor<64x96xi8>
}
