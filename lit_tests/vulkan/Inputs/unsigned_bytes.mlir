func.func @f(%a: tensor<64x96xi8>, %b: tensor<96x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x96xi8>, tensor<96x64xi8>) outs(%c : tensor<64x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %xx = arith.extui %x : i8 to i32
    %yy = arith.extui %y : i8 to i32
    %p = arith.muli %xx, %yy : i32
    %s = arith.addi %z, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
