// A 3x3 convolution of stride 2, channels before pixels.
func.func @main(%x: tensor<1x32x29x29xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x64x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x14x14xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw {tune.choices = {
        band = 14, block = #tune.alternative<["channels_16", "channels_32"]>,
        depth_order = #tune.alternative<["windows_outside", "channels_outside"]>,
        kr = #tune.unroll<[2, 4]>, layout = #tune.alternative<["raw", "output"]>,
        llvm_opt_level = "3", llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mr = #tune.tile<[7, 10, 14]>,
        output_algorithm = #tune.alternative<["direct", "im2col"]>, output_im2col_kr = 4,
        output_im2col_lines = #tune.tile<[7, 14]>, output_im2col_mr = #tune.tile<[4, 8]>,
        output_im2col_nr = #tune.tile<[32, 64]>, output_kr = 4, output_llvm_opt_level = "3",
        output_llvm_unroll = #tune.alternative<["0", "1"]>,
        output_llvm_vector_width = #tune.vectorize<[256, 512]>, output_mc = 14,
        output_mr = #tune.tile<[4, 7]>, output_nc = 64, output_nr = #tune.tile<[32, 64]>,
        output_panels = #tune.alternative<["packed", "in_place"]>, output_stack_bytes = 0,
        output_tile_order = #tune.alternative<["columns_outside", "rows_outside"]>,
        stack_bytes = 0}, strides = dense<2> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x29x29xf32>, tensor<64x32x3x3xf32>) outs(%z : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  return %r : tensor<1x64x14x14xf32>
}
