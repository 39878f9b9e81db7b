func.func @f(%a: tensor<64x2048xi8>, %b: tensor<2048x32xi8>) -> tensor<64x32xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x32xi32>
  %c = linalg.fill ins(%z : i32) outs(%e : tensor<64x32xi32>) -> tensor<64x32xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x2048xi8>, tensor<2048x32xi8>) outs(%c : tensor<64x32xi32>) -> tensor<64x32xi32>
  return %0 : tensor<64x32xi32>
}
