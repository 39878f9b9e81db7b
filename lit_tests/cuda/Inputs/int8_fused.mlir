func.func @f(%a: tensor<64x128xi8>, %b: tensor<96x128xi8>, %bias: tensor<96xf32>) -> tensor<64x96xi8> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x96xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<64x96xi32>) -> tensor<64x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x128xi8>, tensor<96x128xi8>) outs(%c : tensor<64x96xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %xx = arith.extsi %x : i8 to i32
    %yy = arith.extsi %y : i8 to i32
    %p = arith.muli %xx, %yy : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<64x96xi32>
  %e8 = tensor.empty() : tensor<64x96xi8>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%r, %bias : tensor<64x96xi32>, tensor<96xf32>) outs(%e8 : tensor<64x96xi8>) {
  ^bb0(%x: i32, %y: f32, %s: i8):
    %f = arith.sitofp %x : i32 to f32
    %g = arith.mulf %f, %y : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %h = arith.maximumf %g, %lo : f32
    %i = arith.minimumf %h, %hi : f32
    %j = arith.fptosi %i : f32 to i8
    linalg.yield %j : i8
  } -> tensor<64x96xi8>
  return %d : tensor<64x96xi8>
}
