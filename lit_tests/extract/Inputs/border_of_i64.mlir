func.func @f(%x: tensor<1x6x5x5xi64>) -> tensor<1x2x3x7x7xi64> {
  %big = arith.constant 9007199254740993 : i64
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %big : i64
  } : tensor<1x6x5x5xi64> to tensor<1x6x7x7xi64>
  %a = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 7, 7] : tensor<1x6x7x7xi64> into tensor<1x2x3x7x7xi64>
  return %a : tensor<1x2x3x7x7xi64>
}
