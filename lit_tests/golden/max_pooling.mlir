// RUN: %golden %s
// Max pooling of an image with borders.
// golden: cpu_v4
// golden: cpu_v4 loops=affine
// golden: vulkan:generic
// golden: cuda_sm_80
func.func @f(%x: tensor<1x8x14x14xf32>) -> tensor<1x8x7x7xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<1x8x14x14xf32> to tensor<1x8x16x16xf32>
  %e = tensor.empty() : tensor<1x8x7x7xf32>
  %z = linalg.fill ins(%low : f32) outs(%e : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x8x16x16xf32>, tensor<3x3xf32>) outs(%z : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  return %r : tensor<1x8x7x7xf32>
}
