// RUN: %{mistake}
// What is compared with zero may be any number.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<64x96xi32>, %x1: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant -1.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<64x96xi32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: i32, %b: f32, %o: f32):
    //right %t = arith.cmpi ne, %a, %zero : i32
    //wrong %s = arith.andi %a, %one : i32
    //wrong %t = arith.cmpi ne, %s, %zero : i32
    %y = arith.select %t, %b, %n : f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
