// RUN: %golden %s
// A convolution whose output channels fill no vectors, by patches of the image.
// golden: cpu_v4
func.func @f(%x: tensor<1x10x10x8xf32>, %w: tensor<3x3x8x21xf32>)
    -> tensor<1x10x10x21xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x10x10x8xf32> to tensor<1x12x12x8xf32>
  %e = tensor.empty() : tensor<1x10x10x21xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x10x10x21xf32>) -> tensor<1x10x10x21xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, tune.choices = {rule = "im2col"}}
      ins(%p, %w : tensor<1x12x12x8xf32>, tensor<3x3x8x21xf32>) outs(%z : tensor<1x10x10x21xf32>) -> tensor<1x10x10x21xf32>
  return %r : tensor<1x10x10x21xf32>
}
