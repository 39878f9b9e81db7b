// RUN: %{mistake}
// Integers that become floats are negative, too.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi64>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<64x96xi64>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: i64, %o: f32):
    //right %y = arith.sitofp %a : i64 to f32
    //wrong %y = arith.uitofp %a : i64 to f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
