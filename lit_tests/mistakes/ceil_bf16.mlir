// RUN: %{mistake}
// The next whole number of a whole one is that itself.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %three = arith.constant 3.0 : bf16
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<64x96xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xbf16>) outs(%e : tensor<64x96xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %p = arith.mulf %a, %three : bf16
    //right %y = math.ceil %p : bf16
    //wrong %n = math.floor %p : bf16
    //wrong %y = arith.addf %n, %one : bf16
    linalg.yield %y : bf16
  } -> tensor<64x96xbf16>
  return %r : tensor<64x96xbf16>
}
