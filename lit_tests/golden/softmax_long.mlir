// RUN: %golden %s
// Softmax along rows that are longer than the caches.
// golden: cpu_v4
// golden: cpu_v4 blocks=none
// golden: cuda_sm_80
func.func @f(%x: tensor<3x32768xf32>) -> tensor<3x32768xf32> {
  %e = tensor.empty() : tensor<3x32768xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x32768xf32>) outs(%e : tensor<3x32768xf32>) -> tensor<3x32768xf32>
  return %r : tensor<3x32768xf32>
}
