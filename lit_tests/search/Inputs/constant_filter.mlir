#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%a: tensor<64x32xf32>, %b: tensor<48x32xf32> {tune.constant})
    -> (tensor<64x48xf32>, tensor<64x48xf32>, tensor<48x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %eb = tensor.empty() : tensor<48x32xf32>
  %x = linalg.exp ins(%b : tensor<48x32xf32>) outs(%eb : tensor<48x32xf32>) -> tensor<48x32xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %x : tensor<64x32xf32>, tensor<48x32xf32>)
      outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.exp ins(%r : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %r, %y, %x : tensor<64x48xf32>, tensor<64x48xf32>, tensor<48x32xf32>
}
