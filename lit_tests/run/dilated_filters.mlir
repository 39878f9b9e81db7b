// Filters with zeroes between their elements become those of dilated convolutions: named ops and generic
// ones, along some dimensions, beside other dilations and strides, of integers. With a zero point, or
// from another place on than the first, they stay as they are.
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK: remark: task 0: conv 10x14x32 over 3x3x16 f32
// CHECK: remark: task 1: conv 2x8x32 over 3x16 i8->i32
// CHECK: remark: task 2: conv 2x8x32 over 6x16 i8->i32
// CHECK: remark: task {{[0-9]+}}: conv 2x8x32 over 6x16 f32
// CHECK: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3 * 5, d1 + d4 * 3, d5)>
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3 * 2, d4)>
// CHECK-LABEL: func.func @named
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @line
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @zero_point
// CHECK: insert_slice
// CHECK-LABEL: func.func @later
// CHECK: insert_slice
// RUN: tune-run %s --function=named --strict --db= | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=line --strict --db= | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=zero_point --strict --db= | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=later --strict --db= | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#s1 = affine_map<(n, w, f, k, c) -> (k, f, c)>
#s0 = affine_map<(n, w, f, k, c) -> (n, w * 2 + k, c)>
#s2 = affine_map<(n, w, f, k, c) -> (n, w, f)>
// Of two dilations one is there, one comes.
func.func @named(%i: tensor<1x20x20x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<1x10x14x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x7x16x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x7x16x32xf32>) -> tensor<3x7x16x32xf32>
  %a = tensor.insert_slice %w into %f[0, 0, 0, 0] [3, 3, 16, 32] [1, 3, 1, 1] : tensor<3x3x16x32xf32> into tensor<3x7x16x32xf32>
  %e2 = tensor.empty() : tensor<1x10x14x32xf32>
  %o = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x10x14x32xf32>) -> tensor<1x10x14x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<[5, 1]> : tensor<2xi64>} ins(%i, %a : tensor<1x20x20x16xf32>, tensor<3x7x16x32xf32>) outs(%o : tensor<1x10x14x32xf32>) -> tensor<1x10x14x32xf32>
  return %r : tensor<1x10x14x32xf32>
}
// Along a line, the filter first, with a stride, a zero more at the end than it takes.
func.func @line(%i: tensor<2x22x16xi8>, %w: tensor<3x32x16xi8>) -> tensor<2x8x32xi32> {
  %z = arith.constant 0 : i32
  %z8 = arith.constant dense<0> : tensor<6x32x16xi8>
  %a = tensor.insert_slice %w into %z8[0, 0, 0] [3, 32, 16] [2, 1, 1] : tensor<3x32x16xi8> into tensor<6x32x16xi8>
  %e2 = tensor.empty() : tensor<2x8x32xi32>
  %o = linalg.fill ins(%z : i32) outs(%e2 : tensor<2x8x32xi32>) -> tensor<2x8x32xi32>
  %r = linalg.generic {indexing_maps = [#s1, #s0, #s2], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %i : tensor<6x32x16xi8>, tensor<2x22x16xi8>) outs(%o : tensor<2x8x32xi32>) {
    ^bb0(%p: i8, %q: i8, %s: i32):
      %x = arith.extsi %p : i8 to i32
      %y = arith.extsi %q : i8 to i32
      %m = arith.muli %x, %y : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
  } -> tensor<2x8x32xi32>
  return %r : tensor<2x8x32xi32>
}
// With a zero point zeroes count.
func.func @zero_point(%i: tensor<2x22x16xi8>, %w: tensor<3x32x16xi8>) -> tensor<2x8x32xi32> {
  %z = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %z8 = arith.constant dense<0> : tensor<6x32x16xi8>
  %a = tensor.insert_slice %w into %z8[0, 0, 0] [3, 32, 16] [2, 1, 1] : tensor<3x32x16xi8> into tensor<6x32x16xi8>
  %e2 = tensor.empty() : tensor<2x8x32xi32>
  %o = linalg.fill ins(%z : i32) outs(%e2 : tensor<2x8x32xi32>) -> tensor<2x8x32xi32>
  %r = linalg.generic {indexing_maps = [#s1, #s0, #s2], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %i : tensor<6x32x16xi8>, tensor<2x22x16xi8>) outs(%o : tensor<2x8x32xi32>) {
    ^bb0(%p: i8, %q: i8, %s: i32):
      %x0 = arith.extsi %p : i8 to i32
      %x = arith.subi %x0, %c3 : i32
      %y = arith.extsi %q : i8 to i32
      %m = arith.muli %x, %y : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
  } -> tensor<2x8x32xi32>
  return %r : tensor<2x8x32xi32>
}

// The first place has a zero.
func.func @later(%i: tensor<2x22x16xf32>, %w: tensor<3x32x16xf32>) -> tensor<2x8x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x32x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x32x16xf32>) -> tensor<6x32x16xf32>
  %a = tensor.insert_slice %w into %f[1, 0, 0] [3, 32, 16] [2, 1, 1] : tensor<3x32x16xf32> into tensor<6x32x16xf32>
  %e2 = tensor.empty() : tensor<2x8x32xf32>
  %o = linalg.fill ins(%z : f32) outs(%e2 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  %r = linalg.generic {indexing_maps = [#s1, #s0, #s2], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %i : tensor<6x32x16xf32>, tensor<2x22x16xf32>) outs(%o : tensor<2x8x32xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  } -> tensor<2x8x32xf32>
  return %r : tensor<2x8x32xf32>
}
