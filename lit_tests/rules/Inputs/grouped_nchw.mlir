// As StableHLO has it: the batch as the last loop, groups before channels before pixels.
#image = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d0, d1, d3 + d4, d5 + d6)>
#filter = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d1, d4, d6)>
#sums = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d0, d2, d3, d5)>
func.func @main(%x: tensor<1x4x16x14x14xf32>, %w: tensor<4x16x16x3x3xf32>) -> tensor<1x4x16x12x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4x16x12x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x16x12x12xf32>) -> tensor<1x4x16x12x12xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #sums],
                       iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction",
                                         "parallel", "reduction", "parallel"]}
    ins(%x, %w : tensor<1x4x16x14x14xf32>, tensor<4x16x16x3x3xf32>)
    outs(%init : tensor<1x4x16x12x12xf32>) {
  ^bb0(%in: f32, %weight: f32, %sum: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x16x12x12xf32>
  return %y : tensor<1x4x16x12x12xf32>
}
