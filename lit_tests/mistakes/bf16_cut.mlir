// RUN: %{mistake}
// Rounding is to the nearest, not towards zero.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf32>) outs(%e : tensor<64x96xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    //right %y = arith.truncf %a : f32 to bf16
    //wrong %i = arith.bitcast %a : f32 to i32
    //wrong %s = arith.constant 16 : i32
    //wrong %h = arith.shrui %i, %s : i32
    //wrong %t = arith.trunci %h : i32 to i16
    //wrong %y = arith.bitcast %t : i16 to bf16
    linalg.yield %y : bf16
  } -> tensor<64x96xbf16>
  return %r : tensor<64x96xbf16>
}
