// A 1x1 convolution, channels before pixels.
func.func @main(%x: tensor<1x64x28x28xf32>, %w: tensor<64x64x1x1xf32>) -> tensor<1x64x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x28x28xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %r = linalg.conv_2d_nchw_fchw {tune.choices = {
        cols = 32, depth = 16, edges = #tune.parallel<[0, 1]>,
        group_x = #tune.parallel<[8, 32, 128]>, group_y = 1, kr = #tune.unroll<[4, 8]>,
        mr = #tune.tile<[8, 16, 32]>, nr = 4, pairs = 0, rows = 32, share = 8,
        shared_memory = "none", spirv_opt = #tune.alternative<["none", "performance"]>,
        stages = 2, texels = 134217728, warps_x = 1, warps_y = 1}, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x64x28x28xf32>, tensor<64x64x1x1xf32>) outs(%z : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  return %r : tensor<1x64x28x28xf32>
}
