// RUN: %golden %s
// A transpose whose result is written past the caches.
// golden: cpu_v4
func.func @f(%x: tensor<4096x4096xi8>) -> tensor<4096x4096xi8> {
  %e = tensor.empty() : tensor<4096x4096xi8>
  %r = linalg.transpose ins(%x : tensor<4096x4096xi8>) outs(%e : tensor<4096x4096xi8>) permutation = [1, 0]
  return %r : tensor<4096x4096xi8>
}
