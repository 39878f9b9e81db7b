// No @main, two tasks, and a function that is only called.
func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @double(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @twice(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = arith.constant 0.5 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %halves = linalg.fill ins(%half : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.mul ins(%x, %halves : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @same(%x: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.copy ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
