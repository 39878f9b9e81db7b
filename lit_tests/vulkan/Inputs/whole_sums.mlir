// Sums of everything: of one loop that nothing divides, of three, maxima, and a norm that goes on
// with what it sums up.
func.func @prime(%x: tensor<100003xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce ins(%x : tensor<100003xf32>) outs(%init : tensor<f32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %t = arith.addf %in, %acc : f32
      linalg.yield %t : f32
    }
  return %r : tensor<f32>
}
func.func @cube(%x: tensor<6x35x500xi32>) -> tensor<i32> {
  %least = arith.constant -2147483648 : i32
  %empty = tensor.empty() : tensor<i32>
  %init = linalg.fill ins(%least : i32) outs(%empty : tensor<i32>) -> tensor<i32>
  %r = linalg.reduce ins(%x : tensor<6x35x500xi32>) outs(%init : tensor<i32>) dimensions = [0, 1, 2]
    (%in: i32, %acc: i32) {
      %t = arith.maxsi %in, %acc : i32
      linalg.yield %t : i32
    }
  return %r : tensor<i32>
}
func.func @norm(%x: tensor<300x400xf32>) -> tensor<300x400xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1.2e+05 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce ins(%x : tensor<300x400xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %acc: f32) {
      %t = arith.addf %in, %acc : f32
      linalg.yield %t : f32
    }
  %out = tensor.empty() : tensor<300x400xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>,
                                        affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<300x400xf32>, tensor<f32>) outs(%out : tensor<300x400xf32>) {
  ^bb0(%in: f32, %s: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %in, %mean : f32
    linalg.yield %d : f32
  } -> tensor<300x400xf32>
  return %r : tensor<300x400xf32>
}
