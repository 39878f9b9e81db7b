// RUN: %{mistake}
// The next whole number of a whole one is that itself.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf16>) -> tensor<64x96xf16> {
  %three = arith.constant 3.0 : f16
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<64x96xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf16>) outs(%e : tensor<64x96xf16>) {
  ^bb0(%a: f16, %o: f16):
    %p = arith.mulf %a, %three : f16
    //right %y = math.ceil %p : f16
    //wrong %n = math.floor %p : f16
    //wrong %y = arith.addf %n, %one : f16
    linalg.yield %y : f16
  } -> tensor<64x96xf16>
  return %r : tensor<64x96xf16>
}
