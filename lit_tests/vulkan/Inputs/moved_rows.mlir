// Ops of which nothing is left in a row: a bias that two ops read, rows that are moved before, and
// after, what is done with them.
#all = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @same_bias(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %bias: tensor<64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.generic {indexing_maps = [#col, #all], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<64x64xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%m, %i : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @moved_before(%x: tensor<6x5x64xf32>) -> tensor<5x6x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x6x64xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<6x5x64xf32>) outs(%e : tensor<5x6x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<5x6x64xf32>
  %se = tensor.empty() : tensor<5x6xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<5x6xf32>) -> tensor<5x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<5x6x64xf32>) outs(%si : tensor<5x6xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %p = arith.mulf %in, %in : f32
    %t = arith.addf %acc, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %s : tensor<5x6x64xf32>, tensor<5x6xf32>) outs(%e : tensor<5x6x64xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %p = arith.subf %in, %sum : f32
    linalg.yield %p : f32
  } -> tensor<5x6x64xf32>
  return %r : tensor<5x6x64xf32>
}
func.func @moved_after(%x: tensor<6x5x64xf32>) -> tensor<5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<6x5xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<6x5xf32>) -> tensor<6x5xf32>
  %s = linalg.reduce ins(%x : tensor<6x5x64xf32>) outs(%si : tensor<6x5xf32>) dimensions = [2]
    (%in: f32, %acc: f32) {
      %t = arith.addf %in, %acc : f32
      linalg.yield %t : f32
    }
  %e = tensor.empty() : tensor<5x6xf32>
  %r = linalg.transpose ins(%s : tensor<6x5xf32>) outs(%e : tensor<5x6xf32>) permutation = [1, 0]
  return %r : tensor<5x6xf32>
}
