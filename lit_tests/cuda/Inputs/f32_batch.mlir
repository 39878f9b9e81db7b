func.func @f(%a: tensor<3x32x48xf32>, %b: tensor<3x48x64xf32>) -> tensor<3x32x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x32x64xf32>
  %C = linalg.fill ins(%z : f32) outs(%e : tensor<3x32x64xf32>) -> tensor<3x32x64xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x32x48xf32>, tensor<3x48x64xf32>) outs(%C : tensor<3x32x64xf32>) -> tensor<3x32x64xf32>
  return %r : tensor<3x32x64xf32>
}
