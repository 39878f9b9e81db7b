func.func @f(%a: tensor<63x95xf32>, %b: tensor<95x61xf32>) -> tensor<63x61xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<63x61xf32>
  %C = linalg.fill ins(%z : f32) outs(%e : tensor<63x61xf32>) -> tensor<63x61xf32>
  %r = linalg.matmul ins(%a, %b : tensor<63x95xf32>, tensor<95x61xf32>) outs(%C : tensor<63x61xf32>) -> tensor<63x61xf32>
  return %r : tensor<63x61xf32>
}
