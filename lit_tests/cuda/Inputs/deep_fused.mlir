func.func @f(%a: tensor<32x2048xf16>, %b: tensor<2048x64xf16>, %bias: tensor<64xf32>) -> tensor<32x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x2048xf16>, tensor<2048x64xf16>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %f = arith.addf %x, %y : f32
    %z1 = arith.constant 0.0 : f32
    %g = arith.maximumf %f, %z1 : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}
