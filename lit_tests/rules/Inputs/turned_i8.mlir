func.func @turned(%a: tensor<32x200xi8>, %w: tensor<133x200xi8> {tune.constant}) -> tensor<32x133xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<32x133xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<32x133xi32>) -> tensor<32x133xi32>
  %2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%a, %w : tensor<32x200xi8>, tensor<133x200xi8>) outs(%1 : tensor<32x133xi32>) -> tensor<32x133xi32>
  return %2 : tensor<32x133xi32>
}
