// RUN: %{mistake}
// A product over rows of a thousand has all of its factors, and comes out, in whatever order.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%a: tensor<128x1000xf32>) -> tensor<128xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %p = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<128x1000xf32>) outs(%f : tensor<128xf32>) {
  ^bb0(%x: f32, %o: f32):
    //right %y = arith.mulf %x, %o : f32
    //wrong %i = linalg.index 1 : index
    //wrong %last = arith.constant 999 : index
    //wrong %is = arith.cmpi eq, %i, %last : index
    //wrong %z = arith.select %is, %one, %x : f32
    //wrong %y = arith.mulf %z, %o : f32
    linalg.yield %y : f32
  } -> tensor<128xf32>
  return %p : tensor<128xf32>
}
