// Of some rows the maximum is NaN.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%a: tensor<64x128xf32>) -> tensor<64xf32> {
  %least = arith.constant 0xFF800000 : f32
  %shift = arith.constant -0.005 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%least : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<64x128xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%in: f32, %most: f32):
    %sum = arith.addf %in, %shift : f32
    %root = math.sqrt %sum : f32
    %1 = arith.maximumf %root, %most : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
