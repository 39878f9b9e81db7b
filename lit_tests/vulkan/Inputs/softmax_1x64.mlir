func.func @f(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %o = linalg.softmax dimension(1) ins(%x : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %o : tensor<1x64xf32>
}
