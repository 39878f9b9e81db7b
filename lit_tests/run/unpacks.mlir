// Unpacks of a single tile that is not full: whichever dimensions the tile is of, in whatever order.
// RUN: tune-run %s --db= --strict --time=0.001 --function=static | FileCheck %s
// RUN: tune-run %s --db= --time=0.001 --function=dynamic --dynamic=5 | FileCheck %s
// CHECK: Check ok
func.func @static(%a: tensor<1x1x16xf32>, %b: tensor<1x1x8x16xf32>)
    -> (tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x13xf32>, tensor<13x5xf32>, tensor<13x5xf32>) {
  %row = tensor.empty() : tensor<5x1xf32>
  %wide = tensor.empty() : tensor<5x13xf32>
  %tall = tensor.empty() : tensor<13x5xf32>
  %0 = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [16] into %row : tensor<1x1x16xf32> -> tensor<5x1xf32>
  %1 = linalg.unpack %a inner_dims_pos = [0] inner_tiles = [16] into %row : tensor<1x1x16xf32> -> tensor<5x1xf32>
  %2 = linalg.unpack %b inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %wide : tensor<1x1x8x16xf32> -> tensor<5x13xf32>
  %3 = linalg.unpack %b inner_dims_pos = [1, 0] inner_tiles = [8, 16] into %tall : tensor<1x1x8x16xf32> -> tensor<13x5xf32>
  %4 = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 16] into %tall : tensor<1x1x8x16xf32> -> tensor<13x5xf32>
  return %0, %1, %2, %3, %4 : tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x13xf32>, tensor<13x5xf32>, tensor<13x5xf32>
}

func.func @dynamic(%a: tensor<1x1x16xf32>, %row: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %0 = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [16] into %row : tensor<1x1x16xf32> -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}
