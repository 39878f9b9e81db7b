// Bits that all numbers of a row have.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%a: tensor<64x128xi32>) -> tensor<64xi32> {
  %least = arith.constant -1 : i32
  %shift = arith.constant 3 : i32
  %empty = tensor.empty() : tensor<64xi32>
  %start = linalg.fill ins(%least : i32) outs(%empty : tensor<64xi32>) -> tensor<64xi32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<64x128xi32>) outs(%start : tensor<64xi32>) {
  ^bb0(%in: i32, %most: i32):
    %sum = arith.addi %in, %shift : i32
    %root = arith.muli %sum, %shift : i32
    %1 = arith.andi %root, %most : i32
    linalg.yield %1 : i32
  } -> tensor<64xi32>
  return %0 : tensor<64xi32>
}
