// A 1x1 convolution, relu, and a 3x3 depthwise one after it.
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @main(%x: tensor<1x30x30x32xf32>, %w: tensor<1x1x32x64xf32>, %k: tensor<3x3x64xf32>) -> tensor<1x28x28x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x30x30x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  %p = linalg.conv_2d_nhwc_hwcf {tune.choices = {
        epilogue = "register_tile", kr = 4, llvm_opt_level = "3", llvm_unroll = "1",
        llvm_vector_width = 512, mc = 900, mr = 8, nc = 64, nr = 32, panels = "in_place",
        stack_bytes = 0, tile_order = "columns_outside"}} ins(%x, %w : tensor<1x30x30x32xf32>, tensor<1x1x32x64xf32>) outs(%z : tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<1x30x30x64xf32>) outs(%e : tensor<1x30x30x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %y = arith.maximumf %v, %zero : f32
    linalg.yield %y : f32
  } -> tensor<1x30x30x64xf32>
  %e1 = tensor.empty() : tensor<1x28x28x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {tune.choices = {
        band = #tune.tile<[4, 14, 28]>, block = 64,
        llvm_opt_level = #tune.alternative<["2", "3"]>,
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mr = #tune.tile<[2, 4, 7]>,
        nr = #tune.tile<[16, 32]>, plane_lines = #tune.tile<[2, 4]>,
        plane_nr = #tune.tile<[16, 32]>, plane_rows = #tune.tile<[2, 4, 7]>, stack_bytes = 0,
        tile_shape = #tune.alternative<["rows", "planes"]>}} ins(%a, %k : tensor<1x30x30x64xf32>, tensor<3x3x64xf32>) outs(%z1 : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %r : tensor<1x28x28x64xf32>
}
