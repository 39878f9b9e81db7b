#m = affine_map<(d0, d1) -> (d0, d1)>
#v = affine_map<(d0, d1) -> (d1)>
#r = affine_map<(d0, d1) -> (d0)>
func.func @main(%a: tensor<48x96xf32>, %b: tensor<96xf32>, %s: tensor<64xf32>) -> (tensor<48x96xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<48x96xf32>
  %r = linalg.generic {indexing_maps = [#m, #v, #m], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<48x96xf32>, tensor<96xf32>) outs(%e : tensor<48x96xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<48x96xf32>
  %es = tensor.empty() : tensor<64xf32>
  %q = linalg.exp ins(%s : tensor<64xf32>) outs(%es : tensor<64xf32>) -> tensor<64xf32>
  return %r, %q : tensor<48x96xf32>, tensor<64xf32>
}
