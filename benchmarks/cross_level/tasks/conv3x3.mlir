// A 3x3 convolution, channels before pixels.
func.func @main(%x: tensor<1x32x30x30xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x64x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x28x28xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %r = linalg.conv_2d_nchw_fchw {tune.choices = {
        band = 28, block = #tune.alternative<["channels_16", "channels_32"]>,
        depth_order = #tune.alternative<["windows_outside", "channels_outside"]>,
        kr = #tune.unroll<[2, 4]>, layout = #tune.alternative<["raw", "output"]>,
        llvm_opt_level = "3", llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mr = #tune.tile<[7, 10, 14]>,
        output_algorithm = #tune.alternative<["direct", "winograd"]>, output_im2col_kr = 4,
        output_im2col_lines = 14, output_im2col_mr = 8, output_im2col_nr = 32, output_kr = 4,
        output_llvm_opt_level = "3", output_llvm_unroll = #tune.alternative<["0", "1"]>,
        output_llvm_vector_width = #tune.vectorize<[256, 512]>, output_mc = 28,
        output_mr = #tune.tile<[4, 7]>, output_nc = 64, output_nr = #tune.tile<[32, 64]>,
        output_panels = "in_place", output_stack_bytes = 0,
        output_tile_order = #tune.alternative<["columns_outside", "rows_outside"]>,
        output_winograd_block = #tune.tile<[16, 32]>, output_winograd_kc = 32,
        output_winograd_kr = #tune.unroll<[2, 4]>, output_winograd_mr = #tune.tile<[4, 7, 12]>,
        output_winograd_nr = 16, output_winograd_tile = #tune.alternative<["4x4", "2x2"]>,
        stack_bytes = 0}, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x30x30xf32>, tensor<64x32x3x3xf32>) outs(%z : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  return %r : tensor<1x64x28x28xf32>
}
