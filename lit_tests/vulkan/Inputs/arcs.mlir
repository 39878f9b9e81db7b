// Arc functions, also of zeroes, infinities and what has none. Divided by what may be zero and cut
// to a few values, operands meet in all combinations.
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf16>) {
  %empty = tensor.empty() : tensor<64x64xf32>
  %narrow = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.map ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>)
    (%y: f32, %x: f32, %o: f32) {
      %r = math.atan2 %y, %x : f32
      linalg.yield %r : f32
    }
  %1 = linalg.map ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>)
    (%y: f32, %x: f32, %o: f32) {
      %scale = arith.constant 2.0 : f32
      %y_2 = arith.mulf %y, %scale : f32
      %x_2 = arith.mulf %x, %scale : f32
      %y_r = math.roundeven %y_2 : f32
      %x_r = math.roundeven %x_2 : f32
      %y_q = arith.divf %y_r, %x_r : f32
      %x_q = arith.divf %x_r, %y_r : f32
      %r = math.atan2 %y_q, %x_q : f32
      %s = math.atan2 %y_r, %x_r : f32
      %nan = arith.cmpf uno, %r, %r : f32
      %t = arith.select %nan, %s, %r : f32
      linalg.yield %t : f32
    }
  %2 = linalg.map ins(%a : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) (%x: f32, %o: f32) {
    %r = math.acos %x : f32
    linalg.yield %r : f32
  }
  %3 = linalg.map ins(%a : tensor<64x64xf32>) outs(%narrow : tensor<64x64xf16>) (%x: f32, %o: f16) {
    %h = arith.truncf %x : f32 to f16
    %r = math.atan %h : f16
    linalg.yield %r : f16
  }
  return %0, %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf16>
}
