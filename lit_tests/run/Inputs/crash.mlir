// Reads where nothing is.
func.func @crash(%x: tensor<8xf32>) -> tensor<1xf32> {
  %far = arith.constant 100000000000 : index
  %y = tensor.extract %x[%far] : tensor<8xf32>
  %0 = tensor.from_elements %y : tensor<1xf32>
  return %0 : tensor<1xf32>
}
