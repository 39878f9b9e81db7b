// RUN: %{mistake}
// The largest of a row with NaN in it is NaN.
#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<128x256xf32>) -> tensor<128xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %r = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x256xf32>) outs(%f : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    //right %y = arith.maximumf %a, %o : f32
    //wrong %y = arith.maxnumf %a, %o : f32
    linalg.yield %y : f32
  } -> tensor<128xf32>
  return %r : tensor<128xf32>
}
