// Returns a scalar.
func.func @first(%x: tensor<4xf32>) -> f32 {
  %0 = arith.constant 0 : index
  %1 = tensor.extract %x[%0] : tensor<4xf32>
  return %1 : f32
}
