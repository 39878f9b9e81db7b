// RUN: %{mistake}
// Those of quotients that become floats have them, too.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi64>, %x1: tensor<64x96xi64>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi64>, tensor<64x96xi64>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: i64, %b: i64, %o: f32):
    //right %q = arith.floordivsi %a, %b : i64
    //wrong %s = math.absi %b : i64
    //wrong %q = arith.floordivsi %a, %s : i64
    %y = arith.sitofp %q : i64 to f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
