func.func @main(%a: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %empty = tensor.empty() : tensor<16x24xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, -j + 23)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x24xf32>) outs(%empty : tensor<16x24xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
  } -> tensor<16x24xf32>
  return %0 : tensor<16x24xf32>
}
