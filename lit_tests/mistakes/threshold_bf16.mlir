// RUN: %{mistake}
// What a product is exactly, no rounding decides.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %three = arith.constant 3.0 : bf16
  %e = tensor.empty() : tensor<64x96xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xbf16>) outs(%e : tensor<64x96xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %p = arith.mulf %a, %three : bf16
    //right %t = arith.cmpf oge, %p, %three : bf16
    //wrong %t = arith.cmpf ogt, %p, %three : bf16
    %n = arith.negf %p : bf16
    %y = arith.select %t, %p, %n : bf16
    linalg.yield %y : bf16
  } -> tensor<64x96xbf16>
  return %r : tensor<64x96xbf16>
}
