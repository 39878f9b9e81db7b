func.func @turned(%a: tensor<32x200xbf16>, %w: tensor<133x200xbf16> {tune.constant}) -> tensor<32x133xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<32x133xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<32x133xf32>) -> tensor<32x133xf32>
  %2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%a, %w : tensor<32x200xbf16>, tensor<133x200xbf16>) outs(%1 : tensor<32x133xf32>) -> tensor<32x133xf32>
  return %2 : tensor<32x133xf32>
}
