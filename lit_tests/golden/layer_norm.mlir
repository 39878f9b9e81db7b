// RUN: %golden %s
// A norm of rows, whose centred values are computed twice.
// golden: cpu_v4
// golden: vulkan_gpu
// golden: cuda_sm_90
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<20x128xf32>) -> tensor<20x128xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 128.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<20xf32>
  %e2 = tensor.empty() : tensor<20x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<20x128xf32>) outs(%z : tensor<20xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<20x128xf32>, tensor<20xf32>) outs(%e2 : tensor<20x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x128xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<20x128xf32>) outs(%z : tensor<20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<20xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %v : tensor<20x128xf32>, tensor<20xf32>) outs(%e2 : tensor<20x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.addf %0, %tiny : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<20x128xf32>
  return %r : tensor<20x128xf32>
}
