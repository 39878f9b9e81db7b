// RUN: %golden %s
// A matrix times a vector.
// golden: cpu_v4
// golden: vulkan_gpu
// golden: cuda_sm_80
func.func @f(%a: tensor<64x128xf32>, %x: tensor<128xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.matvec ins(%a, %x : tensor<64x128xf32>, tensor<128xf32>) outs(%z : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
