// Attention without a mask: 12 heads, a sequence of 1024, 64 wide.
#row = affine_map<(h, i, j, d) -> (h, i, d)>
#column = affine_map<(h, i, j, d) -> (h, j, d)>
#score = affine_map<(h, i, j, d) -> (h, i, j)>
#same = affine_map<(h, i, j) -> (h, i, j)>
func.func @attention(%q: tensor<12x1024x64xf32>, %k: tensor<12x1024x64xf32>, %v: tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %scores = tensor.empty() : tensor<12x1024x1024xf32>
  %no_scores = linalg.fill ins(%zero : f32) outs(%scores : tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xf32>
  %product = linalg.generic {
      indexing_maps = [#row, #column, #score],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<12x1024x64xf32>, tensor<12x1024x64xf32>) outs(%no_scores : tensor<12x1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %ab = arith.mulf %a, %b : f32
    %more = arith.addf %sum, %ab : f32
    linalg.yield %more : f32
  } -> tensor<12x1024x1024xf32>
  %scaled = linalg.generic {
      indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%product : tensor<12x1024x1024xf32>) outs(%scores : tensor<12x1024x1024xf32>) {
  ^bb0(%score: f32, %old: f32):
    %new = arith.mulf %score, %scale : f32
    linalg.yield %new : f32
  } -> tensor<12x1024x1024xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<12x1024x1024xf32>) outs(%scores : tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xf32>
  %empty = tensor.empty() : tensor<12x1024x64xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%empty : tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<12x1024x1024xf32>, tensor<12x1024x64xf32>) outs(%nothing : tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32>
  return %result : tensor<12x1024x64xf32>
}
