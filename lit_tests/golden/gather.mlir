// RUN: %golden %s
// Rows that are picked by an index.
// golden: cpu_v4
// golden: cpu_v4 loops=affine
// golden: cpu_v4 threads=2
// golden: vulkan:generic
// golden: cuda:sm_80
func.func @f(%table: tensor<50x64xf32>, %i: tensor<12xi32>) -> tensor<12x64xf32> {
  %e = tensor.empty() : tensor<12x64xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<12xi32>) outs(%e : tensor<12x64xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %table[%0, %1] : tensor<50x64xf32>
    linalg.yield %2 : f32
  } -> tensor<12x64xf32>
  return %r : tensor<12x64xf32>
}
