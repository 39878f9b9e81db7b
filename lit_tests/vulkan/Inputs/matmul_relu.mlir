func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %bias: tensor<48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %product = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %relu = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<64x48xf32>, tensor<48xf32>) outs(%empty : tensor<64x48xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %sum = arith.addf %x, %y : f32
      %r = arith.maximumf %sum, %zero : f32
      linalg.yield %r : f32
  } -> tensor<64x48xf32>
  return %relu : tensor<64x48xf32>
}
