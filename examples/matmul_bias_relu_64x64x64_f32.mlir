// relu(A B + bias), small enough for an emulator: one module for three targets (docs/targets.md).
func.func @layer(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %bias: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                           outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<64x64xf32>, tensor<64xf32>)
      outs(%empty : tensor<64x64xf32>) {
    ^bb0(%p: f32, %c: f32, %old: f32):
      %sum = arith.addf %p, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<64x64xf32>
  return %result : tensor<64x64xf32>
}
