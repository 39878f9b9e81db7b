func.func @f(%a: tensor<96x128xi8>, %b: tensor<64x96xi8>) -> tensor<128x64xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<128x64xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<128x64xi32>) -> tensor<128x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x128xi8>, tensor<64x96xi8>) outs(%c : tensor<128x64xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xx = arith.extui %x : i8 to i32
    %yy = arith.extsi %y : i8 to i32
    %p = arith.muli %xx, %yy : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<128x64xi32>
  return %r : tensor<128x64xi32>
}
