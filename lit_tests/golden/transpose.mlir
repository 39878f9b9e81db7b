// RUN: %golden %s
// A transpose.
// golden: cpu_v3
// golden: cpu_v4
// golden: vulkan:generic
// golden: vulkan_software
// golden: cuda_sm_80
func.func @f(%x: tensor<48x32xf32>) -> tensor<32x48xf32> {
  %e = tensor.empty() : tensor<32x48xf32>
  %r = linalg.transpose ins(%x : tensor<48x32xf32>) outs(%e : tensor<32x48xf32>) permutation = [1, 0]
  return %r : tensor<32x48xf32>
}
