// RUN: %golden %s
// A depthwise convolution with channels innermost.
// golden: cpu_v4 tile_shape=rows
// golden: cpu_v4 tile_shape=planes,plane_lines=2,plane_rows=4
// golden: vulkan:generic
func.func @f(%x: tensor<1x5x6x16xf32>, %w: tensor<3x3x16xf32>)
    -> tensor<1x5x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x16xf32> to tensor<1x7x8x16xf32>
  %e = tensor.empty() : tensor<1x5x6x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x7x8x16xf32>, tensor<3x3x16xf32>) outs(%z : tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32>
  return %r : tensor<1x5x6x16xf32>
}
