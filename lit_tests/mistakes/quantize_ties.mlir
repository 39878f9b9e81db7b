// RUN: %{mistake}
// The same ahead of a conversion that is clamped to its range.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xf32>) -> tensor<64x96xi8> {
  %hi = arith.constant 127.0 : f32
  %lo = arith.constant -128.0 : f32
  %e = tensor.empty() : tensor<64x96xi8>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xf32>) outs(%e : tensor<64x96xi8>) {
  ^bb0(%a: f32, %o: i8):
    //right %q = math.roundeven %a : f32
    //right %m = arith.minimumf %q, %hi : f32
    //right %n = arith.maximumf %m, %lo : f32
    //right %y = arith.fptosi %n : f32 to i8
    //wrong %q = math.round %a : f32
    //wrong %m = arith.minimumf %q, %hi : f32
    //wrong %n = arith.maximumf %m, %lo : f32
    //wrong %y = arith.fptosi %n : f32 to i8
    linalg.yield %y : i8
  } -> tensor<64x96xi8>
  return %r : tensor<64x96xi8>
}
