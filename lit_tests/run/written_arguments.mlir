// A result may be made of what an argument was before another result is written to it: runs that are timed, and
// checked again after that, begin with the first contents.
// RUN: tune-run %s --db= --strict --check --time=0.01 | FileCheck %s
// CHECK: Check {{ *}}ok
func.func @kept(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = tensor.insert_slice %x into %z[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %1 = tensor.insert_slice %y into %0[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %2 = tensor.insert_slice %y into %z[0, 4] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  return %0, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}
