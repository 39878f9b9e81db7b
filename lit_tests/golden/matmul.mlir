// RUN: %golden %s
// A matrix product with a bias and a ReLU after it.
// golden: cpu_v4
// golden: cpu_v4 threads=2
// golden: cpu_v4 epilogue=outer_tile,tile_order=rows_outside,panels=packed,stack_bytes=65536
// golden: vulkan:generic
// golden: vulkan_gpu
// golden: vulkan_software
// golden: cuda_sm_90
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %bias: tensor<64xf32>)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
