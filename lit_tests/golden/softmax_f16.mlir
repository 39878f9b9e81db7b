// RUN: %golden %s
// Softmax of f16 along rows of an odd length.
// golden: cpu_v4
// golden: vulkan:generic
// golden: vulkan_gpu
// golden: cuda_sm_80
func.func @f(%x: tensor<12x67xf16>) -> tensor<12x67xf16> {
  %e = tensor.empty() : tensor<12x67xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<12x67xf16>) outs(%e : tensor<12x67xf16>) -> tensor<12x67xf16>
  return %r : tensor<12x67xf16>
}
