// What is made of constants, and turned so that it would be read element by element, is turned ahead:
// a bias of relative places, as window attention has it. A turn that keeps the last dimension in its
// place is read as it is, and so is what is not constant.

// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=bias --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// OK: Packed ahead

#id = affine_map<(a, b, c) -> (a, b, c)>

// CHECK-LABEL: func.func @bias
// CHECK: tensor.expand_shape
// CHECK: call @tune_task_{{.*}} -> tensor<3x17x17xf32>
// CHECK: call @tune_task_{{.*}}(%arg0, {{.*}} : (tensor<3x17x17xf32>, tensor<3x17x17xf32>
func.func @bias(%scores: tensor<3x17x17xf32>, %table: tensor<33x3xf32> {tune.constant},
    %places: tensor<289xi64> {tune.constant}) -> tensor<3x17x17xf32> {
  %0 = tensor.empty() : tensor<289x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, h) -> (i)>, affine_map<(i, h) -> (i, h)>],
      iterator_types = ["parallel", "parallel"]} ins(%places : tensor<289xi64>) outs(%0 : tensor<289x3xf32>) {
  ^bb0(%at: i64, %out: f32):
    %place = arith.index_cast %at : i64 to index
    %h = linalg.index 1 : index
    %element = tensor.extract %table[%place, %h] : tensor<33x3xf32>
    linalg.yield %element : f32
  } -> tensor<289x3xf32>
  %expanded = tensor.expand_shape %1 [[0, 1], [2]] output_shape [17, 17, 3]
      : tensor<289x3xf32> into tensor<17x17x3xf32>
  %2 = tensor.empty() : tensor<3x17x17xf32>
  %bias = linalg.transpose ins(%expanded : tensor<17x17x3xf32>) outs(%2 : tensor<3x17x17xf32>)
      permutation = [2, 0, 1]
  %sum = linalg.add ins(%scores, %bias : tensor<3x17x17xf32>, tensor<3x17x17xf32>)
      outs(%2 : tensor<3x17x17xf32>) -> tensor<3x17x17xf32>
  %r = linalg.softmax dimension(2) ins(%sum : tensor<3x17x17xf32>) outs(%2 : tensor<3x17x17xf32>)
      -> tensor<3x17x17xf32>
  return %r : tensor<3x17x17xf32>
}

// CHECK-LABEL: func.func @last_in_place
// CHECK-COUNT-1: call @tune_task_
// CHECK-NOT: call
func.func @last_in_place(%x: tensor<3x5x16xf32>, %c: tensor<5x3x16xf32> {tune.constant}) -> tensor<3x5x16xf32> {
  %0 = tensor.empty() : tensor<3x5x16xf32>
  %t = linalg.transpose ins(%c : tensor<5x3x16xf32>) outs(%0 : tensor<3x5x16xf32>) permutation = [1, 0, 2]
  %r = linalg.add ins(%x, %t : tensor<3x5x16xf32>, tensor<3x5x16xf32>) outs(%0 : tensor<3x5x16xf32>)
      -> tensor<3x5x16xf32>
  return %r : tensor<3x5x16xf32>
}

// CHECK-LABEL: func.func @not_constant
// CHECK-COUNT-1: call @tune_task_
// CHECK-NOT: call
func.func @not_constant(%x: tensor<3x5x16xf32>, %c: tensor<16x3x5xf32>) -> tensor<3x5x16xf32> {
  %0 = tensor.empty() : tensor<3x5x16xf32>
  %t = linalg.transpose ins(%c : tensor<16x3x5xf32>) outs(%0 : tensor<3x5x16xf32>) permutation = [1, 2, 0]
  %r = linalg.add ins(%x, %t : tensor<3x5x16xf32>, tensor<3x5x16xf32>) outs(%0 : tensor<3x5x16xf32>)
      -> tensor<3x5x16xf32>
  return %r : tensor<3x5x16xf32>
}

// A number that is made of a constant has no dimensions to turn.
// CHECK-LABEL: func.func @number
// CHECK: call @tune_task_
func.func @number(%x: tensor<8x32xf32>, %n: tensor<i64> {tune.constant}) -> tensor<8x32xf32> {
  %0 = tensor.empty() : tensor<f32>
  %c = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%n : tensor<i64>) outs(%0 : tensor<f32>) {
  ^bb0(%i: i64, %o: f32):
    %f = arith.sitofp %i : i64 to f32
    linalg.yield %f : f32
  } -> tensor<f32>
  %1 = tensor.empty() : tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>,
                                        affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<8x32xf32>, tensor<f32>) outs(%1 : tensor<8x32xf32>) {
  ^bb0(%i: f32, %s: f32, %o: f32):
    %m = arith.mulf %i, %s : f32
    linalg.yield %m : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
