// An assertion in an op's body, as torch-mlir writes embeddings with, and one between tasks, of a
// scalar that a task made.
func.func @main(%x: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x24xf32>) outs(%empty : tensor<8x24xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %in : f32
    %is_number = arith.cmpf ord, %p, %p : f32
    cf.assert %is_number, "not a number"
    linalg.yield %p : f32
  } -> tensor<8x24xf32>
  %first = tensor.extract %r[%c0, %c0] : tensor<8x24xf32>
  %is_positive = arith.cmpf oge, %first, %zero : f32
  cf.assert %is_positive, "a square below zero"
  return %r : tensor<8x24xf32>
}
