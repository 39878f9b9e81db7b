// Packs and unpacks beside other tasks: they are pads, reshapes and transposes, of which tasks are
// made, and nothing is left that cannot be lowered.
// RUN: tune-run %s --db= --strict --time=0.001 | FileCheck %s
// RUN: tune-opt %s --tune-extract -o - | FileCheck %s --check-prefix=TASKS
// CHECK: 3 tasks (by default)
// CHECK: Check ok
// TASKS-NOT: linalg.{{(un)?}}pack
func.func @main(%a: tensor<2x4xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> (tensor<1x4x8xf32>, tensor<16x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<1x4x8xf32>
  %packed = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [8] into %init : tensor<2x4xf32> -> tensor<1x4x8xf32>
  %rows = tensor.collapse_shape %packed [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
  %product = linalg.matmul ins(%rows, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  %blocked = tensor.expand_shape %product [[0, 1], [2, 3]] output_shape [2, 2, 2, 8] : tensor<4x16xf32> into tensor<2x2x2x8xf32>
  %out = tensor.empty() : tensor<16x4xf32>
  %unpacked = linalg.unpack %blocked outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 8] into %out : tensor<2x2x2x8xf32> -> tensor<16x4xf32>
  return %packed, %unpacked : tensor<1x4x8xf32>, tensor<16x4xf32>
}
