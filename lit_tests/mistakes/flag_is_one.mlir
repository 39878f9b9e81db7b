// RUN: %{mistake}
// Nor is what is not one a zero.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi64>, %x1: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant -1.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi64>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: i64, %b: f32, %o: f32):
    //right %t = arith.cmpi eq, %a, %one : i64
    //wrong %t = arith.cmpi ne, %a, %zero : i64
    %y = arith.select %t, %b, %n : f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
