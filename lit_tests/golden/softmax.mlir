// RUN: %golden %s
// Softmax along rows.
// golden: cpu_v3
// golden: cpu_v4
// golden: cpu_v4 threads=2
// golden: vulkan:generic
// golden: vulkan_software
// golden: cuda_sm_80
func.func @f(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %e = tensor.empty() : tensor<64x256xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %r : tensor<64x256xf32>
}
