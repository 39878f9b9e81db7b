func.func @f(%a: tensor<95x63xi8>, %b: tensor<95x61xi8>) -> tensor<63x61xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<63x61xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<63x61xi32>) -> tensor<63x61xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<95x63xi8>, tensor<95x61xi8>) outs(%c : tensor<63x61xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xx = arith.extsi %x : i8 to i32
    %yy = arith.extsi %y : i8 to i32
    %p = arith.muli %xx, %yy : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<63x61xi32>
  return %r : tensor<63x61xi32>
}
