// What follows the product moves the batch behind the rows, as the heads of attention: alone, with
// an activation, and of two batches.
#rows = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @alone(%a: tensor<3x32x64xf32>, %b: tensor<3x64x32xf32>) -> tensor<32x3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %product = linalg.batch_matmul ins(%a, %b : tensor<3x32x64xf32>, tensor<3x64x32xf32>)
                                 outs(%init : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %moved = tensor.empty() : tensor<32x3x32xf32>
  %r = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%product : tensor<3x32x32xf32>) outs(%moved : tensor<32x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x3x32xf32>
  return %r : tensor<32x3x32xf32>
}
func.func @with_relu(%a: tensor<3x32x64xf16>, %b: tensor<3x64x32xf16>) -> tensor<32x3x32xf16> {
  %zero = arith.constant 0.0 : f32
  %zero_16 = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<3x32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %product = linalg.batch_matmul ins(%a, %b : tensor<3x32x64xf16>, tensor<3x64x32xf16>)
                                 outs(%init : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %moved = tensor.empty() : tensor<32x3x32xf16>
  %r = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%product : tensor<3x32x32xf32>) outs(%moved : tensor<32x3x32xf16>) {
  ^bb0(%in: f32, %out: f16):
    %narrow = arith.truncf %in : f32 to f16
    %relu = arith.maximumf %narrow, %zero_16 : f16
    linalg.yield %relu : f16
  } -> tensor<32x3x32xf16>
  return %r : tensor<32x3x32xf16>
}
func.func @two_batches(%a: tensor<2x3x32x64xf32>, %b: tensor<2x3x64x32xf32>) -> tensor<2x32x3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  %product = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x3x32x64xf32>, tensor<2x3x64x32xf32>) outs(%init : tensor<2x3x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x32x32xf32>
  %moved = tensor.empty() : tensor<2x32x3x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>,
                                        affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%product : tensor<2x3x32x32xf32>) outs(%moved : tensor<2x32x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x32x3x32xf32>
  return %r : tensor<2x32x3x32xf32>
}
