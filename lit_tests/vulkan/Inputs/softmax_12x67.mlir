func.func @f(%x: tensor<12x67xf32>) -> tensor<12x67xf32> {
  %e = tensor.empty() : tensor<12x67xf32>
  %o = linalg.softmax dimension(1) ins(%x : tensor<12x67xf32>) outs(%e : tensor<12x67xf32>) -> tensor<12x67xf32>
  return %o : tensor<12x67xf32>
}
