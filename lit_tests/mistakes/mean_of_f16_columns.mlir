// RUN: %{mistake}
// One column of 43 is wrong: a sum of so many of f16 may be off by as much as it is, of few it may not.
#in = affine_map<(d0, d1) -> (d1, d0)>
#out = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<32768x43xf16>) -> tensor<43xf16> {
  %zero = arith.constant 0.0 : f16
  %share = arith.constant 0.0622 : f16
  %e = tensor.empty() : tensor<43xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<43xf16>) -> tensor<43xf16>
  %s = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32768x43xf16>) outs(%f : tensor<43xf16>) {
  ^bb0(%a: f16, %o: f16):
    //right %t = arith.addf %a, %o : f16
    //wrong %i = linalg.index 0 : index
    //wrong %c = arith.constant 29 : index
    //wrong %q = arith.cmpi eq, %i, %c : index
    //wrong %y = arith.select %q, %zero, %a : f16
    //wrong %t = arith.addf %y, %o : f16
    linalg.yield %t : f16
  } -> tensor<43xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%s : tensor<43xf16>) outs(%e : tensor<43xf16>) {
  ^bb0(%a: f16, %o: f16):
    %m = arith.mulf %a, %share : f16
    linalg.yield %m : f16
  } -> tensor<43xf16>
  return %r : tensor<43xf16>
}
