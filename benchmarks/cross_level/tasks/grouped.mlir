// A 3x3 convolution in 4 groups, channels before pixels.
func.func @main(%x: tensor<1x4x16x30x30xf32>, %w: tensor<4x16x16x3x3xf32>) -> tensor<1x4x16x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x16x28x28xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x16x28x28xf32>) -> tensor<1x4x16x28x28xf32>
  %r = linalg.conv_2d_ngchw_gfchw {tune.choices = {
        algorithm = #tune.alternative<["direct", "winograd"]>, kr = #tune.unroll<[2, 4]>,
        layout = #tune.alternative<["raw", "output"]>, llvm_opt_level = "3",
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = 28, mr = #tune.tile<[4, 7, 14]>,
        nc = 16, nr = 16, raw_kr = #tune.unroll<[1, 2, 4]>, raw_llvm_opt_level = "3",
        raw_llvm_unroll = #tune.alternative<["0", "1"]>,
        raw_llvm_vector_width = #tune.vectorize<[256, 512]>, raw_mc = 16,
        raw_mr = #tune.tile<[4, 8, 14]>, raw_nc = 28, raw_nr = 4, raw_stack_bytes = 0,
        raw_tile_order = #tune.alternative<["columns_outside", "rows_outside"]>,
        stack_bytes = 0, tile_order = #tune.alternative<["columns_outside", "rows_outside"]>,
        winograd_block = 16, winograd_kc = 16, winograd_kr = #tune.unroll<[2, 4]>,
        winograd_mr = #tune.tile<[4, 7, 14]>, winograd_nr = 16,
        winograd_tile = #tune.alternative<["4x4", "2x2"]>}}
      ins(%x, %w : tensor<1x4x16x30x30xf32>, tensor<4x16x16x3x3xf32>) outs(%z : tensor<1x4x16x28x28xf32>) -> tensor<1x4x16x28x28xf32>
  return %r : tensor<1x4x16x28x28xf32>
}
