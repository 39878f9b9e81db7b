// As torch-mlir writes an embedding, with what it asserts of the indices; and an assertion between
// tasks, of a scalar that a task made.
func.func @main(%table: tensor<32x24xf32>, %indices: tensor<8x5xi64>) -> tensor<8x5x24xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c31 = arith.constant 31 : i64
  %empty = tensor.empty() : tensor<8x5x24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%indices : tensor<8x5xi64>) outs(%empty : tensor<8x5x24xf32>) {
  ^bb0(%in: i64, %out: f32):
    %within = arith.andi %in, %c31 : i64
    %at = arith.index_cast %within : i64 to index
    %column = linalg.index 2 : index
    %small = arith.cmpi slt, %at, %c32 : index
    cf.assert %small, "index must be smaller than dim size"
    %large = arith.cmpi sge, %at, %c0 : index
    cf.assert %large, "index must be larger or equal to 0"
    %value = tensor.extract %table[%at, %column] : tensor<32x24xf32>
    linalg.yield %value : f32
  } -> tensor<8x5x24xf32>
  %first = tensor.extract %r[%c0, %c0, %c0] : tensor<8x5x24xf32>
  %zero = arith.constant 0.0 : f32
  %is_number = arith.cmpf ord, %first, %zero : f32
  cf.assert %is_number, "not a number"
  return %r : tensor<8x5x24xf32>
}
