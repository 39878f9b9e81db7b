// RUN: %golden %s
// Sums of columns.
// golden: cpu_v4
// golden: vulkan:generic
// golden: vulkan_software
// golden: cuda_sm_80
func.func @f(%x: tensor<40x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<40x64xf32>) outs(%z : tensor<64xf32>) dimensions = [0]
  return %r : tensor<64xf32>
}
