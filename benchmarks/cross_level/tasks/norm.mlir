// A product, and the root mean square norm of its rows.
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<128x256xf32>, %w: tensor<256x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %count = arith.constant 128.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %p = linalg.matmul {tune.choices = {
        depth_split = #tune.alternative<["whole", "split"]>, kc = 128,
        kr = #tune.unroll<[2, 4]>, llvm_opt_level = "3",
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = #tune.tile<[32, 64, 128]>,
        mr = #tune.tile<[4, 8]>, nc = 128, nr = #tune.tile<[32, 64]>,
        panels = #tune.alternative<["packed", "in_place"]>, stack_bytes = 0,
        tile_order = "columns_outside"}} ins(%x, %w : tensor<128x256xf32>, tensor<256x128xf32>) outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  %er = tensor.empty() : tensor<128xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<128xf32>) -> tensor<128xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"], tune.choices = {
        llvm_opt_level = "3", llvm_unroll = "1", llvm_vector_width = 512, partial = "of_64",
        stack_bytes = 65536, vector = 32}}
      ins(%p : tensor<128x128xf32>) outs(%zr : tensor<128xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.mulf %v, %v : f32
    %y = arith.addf %s, %o : f32
    linalg.yield %y : f32
  } -> tensor<128xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %sum : tensor<128x128xf32>, tensor<128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.addf %mean, %eps : f32
    %q = math.rsqrt %d : f32
    %y = arith.mulf %v, %q : f32
    linalg.yield %y : f32
  } -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
