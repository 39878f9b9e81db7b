// RUN: %golden %s
// A matrix product of f16 into f32.
// golden: cpu_v4
// golden: vulkan_gpu
// golden: cuda_sm_80
// golden: cuda_sm_80 swizzle=1,band=2
// golden: cuda_sm_90
// golden: cuda_sm_90 rows=64,warps_y=4,warps_x=1,tensor_cores=2,bulk_copies=1,producer_warps=1,cluster_y=2
func.func @f(%a: tensor<256x256xf16>, %b: tensor<256x128xf16>)
    -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %p = linalg.matmul ins(%a, %b : tensor<256x256xf16>, tensor<256x128xf16>)
      outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %p : tensor<256x128xf32>
}
