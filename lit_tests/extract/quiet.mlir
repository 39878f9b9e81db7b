// Nothing is said on request; by default, only of what is left out.
// RUN: tune-opt %s --tune-extract=none -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: tune-opt %s --tune-extract -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT
// NONE-NOT: remark
// DEFAULT-COUNT-1: remark: linalg.add is not tuned: an element type
// DEFAULT-NOT: remark
func.func @f(%x: tensor<4xi4>, %y: tensor<4xf32>) -> (tensor<4xi4>, tensor<4xf32>) {
  %a = linalg.add ins(%x, %x : tensor<4xi4>, tensor<4xi4>) outs(%x : tensor<4xi4>) -> tensor<4xi4>
  %b = linalg.exp ins(%y : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xi4>, tensor<4xf32>
}
