// RUN: %{mistake}
// What is too large for f16 becomes infinite.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>) -> tensor<64x96xf16> {
  %hi = arith.constant 65504.0 : f32
  %lo = arith.constant -65504.0 : f32
  %e = tensor.empty() : tensor<64x96xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf32>) outs(%e : tensor<64x96xf16>) {
  ^bb0(%a: f32, %o: f16):
    //right %y = arith.truncf %a : f32 to f16
    //wrong %m = arith.minimumf %a, %hi : f32
    //wrong %n = arith.maximumf %m, %lo : f32
    //wrong %y = arith.truncf %n : f32 to f16
    linalg.yield %y : f16
  } -> tensor<64x96xf16>
  return %r : tensor<64x96xf16>
}
