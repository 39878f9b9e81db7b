// A product with its second factor transposed.
func.func @main(%x: tensor<128x256xf32>, %w: tensor<256x256xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] {tune.choices = {
        depth_split = #tune.alternative<["whole", "split"]>, kc = 128,
        kr = #tune.unroll<[2, 4]>, llvm_opt_level = "3",
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = #tune.tile<[32, 64, 128]>,
        mr = #tune.tile<[4, 8]>, nc = 256, nr = #tune.tile<[32, 64]>, stack_bytes = 0,
        tile_order = #tune.alternative<["columns_outside", "rows_outside"]>}}
      ins(%x, %w : tensor<128x256xf32>, tensor<256x256xf32>) outs(%z : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %r : tensor<128x256xf32>
}
