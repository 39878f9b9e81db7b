func.func @main(%a: tensor<33x8xf32>) -> (tensor<129xf16>, tensor<5x8xf32>, tensor<2x8xf32>, tensor<3x8xf32>) {
  %k = arith.constant dense<8.369e-01> : tensor<33x129xf16>
  %0 = tensor.extract_slice %k[0, 0] [1, 129] [1, 1] : tensor<33x129xf16> to tensor<129xf16>
  %1 = tensor.extract_slice %a[0, 0] [5, 8] [1, 1] : tensor<33x8xf32> to tensor<5x8xf32>
  %2 = tensor.extract_slice %a[3, 0] [2, 8] [1, 1] : tensor<33x8xf32> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<33x8xf32>
  %x = linalg.exp ins(%a : tensor<33x8xf32>) outs(%e : tensor<33x8xf32>) -> tensor<33x8xf32>
  %3 = tensor.extract_slice %x[0, 0] [3, 8] [1, 1] : tensor<33x8xf32> to tensor<3x8xf32>
  return %0, %1, %2, %3 : tensor<129xf16>, tensor<5x8xf32>, tensor<2x8xf32>, tensor<3x8xf32>
}
