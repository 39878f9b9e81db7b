// RUN: %{mistake}
// What is added so that a logarithm stays finite is small.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf16>) -> tensor<64x96xf16> {
  %eps = arith.constant 1.0e-5 : f16
  %e = tensor.empty() : tensor<64x96xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf16>) outs(%e : tensor<64x96xf16>) {
  ^bb0(%a: f16, %o: f16):
    %p = arith.addf %a, %eps : f16
    //right %y = math.log %p : f16
    //wrong %y = math.log %a : f16
    linalg.yield %y : f16
  } -> tensor<64x96xf16>
  return %r : tensor<64x96xf16>
}
