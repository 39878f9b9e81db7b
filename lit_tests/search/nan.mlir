// RUN: not tune-opt %s --tune-search="trials=2 db=%t.db report=plain" -o %t.out 2>&1 | FileCheck %s
// A task whose plain lowering gives nothing but NaN cannot be checked, so it is not tuned.
// CHECK: inconclusive: of the 64 elements of argument 1 64 are NaN in the reference, for any inputs of the check
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %minus_one = arith.constant -1.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %square = arith.mulf %a, %a : f32
      %negative = arith.subf %minus_one, %square : f32
      %root = math.sqrt %negative : f32
      linalg.yield %root : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
