func.func @main(%a: tensor<1xf32>, %b: tensor<16xf32>, %i: tensor<16xindex>, %t: tensor<64xf32>) -> tensor<16x1xf32> {
  %c63 = arith.constant 63 : index
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<16x1xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%i, %b, %a : tensor<16xindex>, tensor<16xf32>, tensor<1xf32>) outs(%e : tensor<16x1xf32>) {
    ^bb0(%x: index, %y: f32, %z: f32, %_: f32):
      %p = arith.maxsi %x, %c0 : index
      %q = arith.minsi %p, %c63 : index
      %v = tensor.extract %t[%q] : tensor<64xf32>
      %s = arith.addf %v, %y : f32
      %s2 = arith.addf %s, %z : f32
      linalg.yield %s2 : f32
  } -> tensor<16x1xf32>
  return %g : tensor<16x1xf32>
}
