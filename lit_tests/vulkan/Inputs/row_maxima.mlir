func.func @main(%a: tensor<36x40xf32>) -> tensor<36xf32> {
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<36xf32>
  %fill = linalg.fill ins(%least : f32) outs(%empty : tensor<36xf32>) -> tensor<36xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
     ins(%a : tensor<36x40xf32>) outs(%fill : tensor<36xf32>) {
   ^bb0(%x: f32, %o: f32):
    %b = math.absf %x : f32
    %n = arith.negf %b : f32
    %m = arith.maximumf %n, %o : f32
    linalg.yield %m : f32
  } -> tensor<36xf32>
  return %0 : tensor<36xf32>
}
