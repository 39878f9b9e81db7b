// Its schedule leaves a tile's sums in memory of an invocation's own.
func.func @main(%x: tensor<9x33x16xf32>, %f: tensor<32x3x3x16xf32>, %b: tensor<32xf32>) -> tensor<4x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<4x16x32xf32>
  %init = linalg.broadcast ins(%b : tensor<32xf32>) outs(%o : tensor<4x16x32xf32>) dimensions = [0, 1]
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, k, p, q, c) -> (2 * h + p, 2 * w + q, c)>, affine_map<(h, w, k, p, q, c) -> (k, p, q, c)>, affine_map<(h, w, k, p, q, c) -> (h, w, k)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %f : tensor<9x33x16xf32>, tensor<32x3x3x16xf32>) outs(%init : tensor<4x16x32xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
      %5 = arith.mulf %in, %in_1 : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
  } -> tensor<4x16x32xf32>
  %relu = linalg.generic {indexing_maps = [affine_map<(h, w, k) -> (h, w, k)>, affine_map<(h, w, k) -> (h, w, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<4x16x32xf32>) outs(%o : tensor<4x16x32xf32>) {
  ^bb0(%in: f32, %out: f32):
      %m = arith.maximumf %in, %zero : f32
      linalg.yield %m : f32
  } -> tensor<4x16x32xf32>
  return %relu : tensor<4x16x32xf32>
}
