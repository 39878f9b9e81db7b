func.func @main(%q: tensor<2x64x32xf32>, %k: tensor<2x64x32xf32>, %v: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x64x64xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, i, j, c) -> (b, i, c)>, affine_map<(b, i, j, c) -> (b, j, c)>, affine_map<(b, i, j, c) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x64x32xf32>, tensor<2x64x32xf32>) outs(%sf : tensor<2x64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x64x64xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x64x64xf32>) outs(%se : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %re = tensor.empty() : tensor<2x64x32xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x32xf32>) outs(%rf : tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  return %r : tensor<2x64x32xf32>
}
