// RUN: %golden %s
// A function that is computed in vectors, along rows that fill none.
// golden: cpu_v3
// golden: cpu_v4
// golden: cpu_v4 vector_math=2
// golden: cpu_v4 threads=2
// golden: vulkan:generic
// golden: vulkan_software
func.func @f(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.tanh ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}
