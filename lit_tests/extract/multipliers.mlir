// A depthwise convolution with several results a channel is one over channels that are repeated,
// with borders, what its sums start from and what follows it beside it.

// RUN: tune-opt %s --tune-extract | FileCheck %s
// RUN: tune-run %s --function=named --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=between --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=between --db= --strict --check --time=0.01 --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=line --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=alone --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: ok

// CHECK-LABEL: func.func @named
// CHECK: call @tune_task_{{.*}} : (tensor<2x9x8x7xf32>, {{.*}}) -> tensor<2x9x8x7x3xf32>
// CHECK: tensor.collapse_shape %{{.*}} into tensor<2x9x8x21xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<2x9x8x21xf32>, tensor<3x3x21xf32>, tensor<2x7x6x21xf32>) -> tensor<2x7x6x21xf32>
func.func @named(%x: tensor<2x9x8x7xf32>, %w: tensor<3x3x7x3xf32>) -> tensor<2x7x6x7x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x6x7x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x6x7x3xf32>) -> tensor<2x7x6x7x3xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : tensor<2x9x8x7xf32>, tensor<3x3x7x3xf32>)
      outs(%z : tensor<2x7x6x7x3xf32>) -> tensor<2x7x6x7x3xf32>
  return %0 : tensor<2x7x6x7x3xf32>
}

// Borders, a stride, a bias, a scale for each channel and each of its results, and all channels
// again behind that.
// CHECK-LABEL: func.func @between
// CHECK: call @tune_task_{{.*}} -> tensor<17x15x9x2xf32>
// CHECK: call @tune_task_{{[0-9]+}}(%{{.*}}) : (tensor<17x15x18xf32>, {{.*}} -> tensor<9x8x18xf32>
// CHECK-NOT: call
// CHECK: return
#id = affine_map<(n, h, w, c, m) -> (n, h, w, c, m)>
#scale = affine_map<(n, h, w, c, m) -> (c, m)>
func.func @between(%x: tensor<1x17x15x9xf32>, %w: tensor<3x3x9x2xf32>, %b: tensor<9x2xf32>,
                   %s: tensor<9x2xf32>) -> tensor<1x9x8x18xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x17x15x9xf32> to tensor<1x19x17x9xf32>
  %e = tensor.empty() : tensor<1x9x8x9x2xf32>
  %z = linalg.broadcast ins(%b : tensor<9x2xf32>) outs(%e : tensor<1x9x8x9x2xf32>) dimensions = [0, 1, 2]
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%p, %w : tensor<1x19x17x9xf32>, tensor<3x3x9x2xf32>)
      outs(%z : tensor<1x9x8x9x2xf32>) -> tensor<1x9x8x9x2xf32>
  %1 = linalg.generic {indexing_maps = [#id, #scale, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %s : tensor<1x9x8x9x2xf32>, tensor<9x2xf32>) outs(%e : tensor<1x9x8x9x2xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %t = arith.maximumf %m, %zero : f32
    linalg.yield %t : f32
  } -> tensor<1x9x8x9x2xf32>
  %2 = tensor.collapse_shape %1 [[0], [1], [2], [3, 4]] : tensor<1x9x8x9x2xf32> into tensor<1x9x8x18xf32>
  return %2 : tensor<1x9x8x18xf32>
}

// A line, bytes, a filter in another order, and what follows asks for a number of each channel, which
// has no dimension of results: it stays as it is.
// CHECK-LABEL: func.func @line
// CHECK: call @tune_task_{{.*}} -> tensor<20x8x2xi8>
// CHECK: call @tune_task_{{.*}} -> tensor<16x16xi32>
// CHECK: call @tune_task_{{.*}} -> tensor<16x8x2xi32>
func.func @line(%x: tensor<20x8xi8>, %w: tensor<8x5x2xi8>, %b: tensor<8xi32>) -> tensor<16x8x2xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x8x2xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<16x8x2xi32>) -> tensor<16x8x2xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(w, c, m, k) -> (w + k, c)>,
                                        affine_map<(w, c, m, k) -> (c, k, m)>,
                                        affine_map<(w, c, m, k) -> (w, c, m)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<20x8xi8>, tensor<8x5x2xi8>) outs(%z : tensor<16x8x2xi32>) {
  ^bb0(%a: i8, %c: i8, %o: i32):
    %p = arith.extsi %a : i8 to i32
    %q = arith.extsi %c : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %o, %m : i32
    linalg.yield %s : i32
  } -> tensor<16x8x2xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(w, c, m) -> (w, c, m)>, affine_map<(w, c, m) -> (c)>,
                                        affine_map<(w, c, m) -> (w, c, m)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %b : tensor<16x8x2xi32>, tensor<8xi32>) outs(%e : tensor<16x8x2xi32>) {
  ^bb0(%a: i32, %c: i32, %o: i32):
    %s = arith.addi %a, %c : i32
    linalg.yield %s : i32
  } -> tensor<16x8x2xi32>
  return %1 : tensor<16x8x2xi32>
}

// Eight results a channel are vectors of their own; windows of one element repeat nothing.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: tensor<9x8x7x8xf32>
// CHECK-NOT: tensor<7x6x32xf32>
// CHECK: return
func.func @alone(%x: tensor<1x9x8x7xf32>, %w: tensor<3x3x7x8xf32>, %y: tensor<1x7x6x16xf32>,
                 %v: tensor<1x1x16x2xf32>) -> (tensor<1x7x6x7x8xf32>, tensor<1x7x6x16x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x6x7x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x6x7x8xf32>) -> tensor<1x7x6x7x8xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : tensor<1x9x8x7xf32>, tensor<3x3x7x8xf32>)
      outs(%z : tensor<1x7x6x7x8xf32>) -> tensor<1x7x6x7x8xf32>
  %e1 = tensor.empty() : tensor<1x7x6x16x2xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x7x6x16x2xf32>) -> tensor<1x7x6x16x2xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%y, %v : tensor<1x7x6x16xf32>, tensor<1x1x16x2xf32>)
      outs(%z1 : tensor<1x7x6x16x2xf32>) -> tensor<1x7x6x16x2xf32>
  return %0, %1 : tensor<1x7x6x7x8xf32>, tensor<1x7x6x16x2xf32>
}

// Channels of a group are no window: each result reads all of them as they lie.
// CHECK-LABEL: func.func @groups
// CHECK: call @tune_task_{{.*}} : (tensor<9x8x8x4xf32>, {{.*}}) -> tensor<7x6x8x4xf32>
// CHECK-NOT: call
// CHECK: return
func.func @groups(%x: tensor<9x8x8x4xf32>, %w: tensor<3x3x8x4x4xf32>) -> tensor<7x6x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6x8x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6x8x4xf32>) -> tensor<7x6x8x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(h, w, g, o, kh, kw, i) -> (h + kh, w + kw, g, i)>,
                                        affine_map<(h, w, g, o, kh, kw, i) -> (kh, kw, g, i, o)>,
                                        affine_map<(h, w, g, o, kh, kw, i) -> (h, w, g, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x8x8x4xf32>, tensor<3x3x8x4x4xf32>) outs(%z : tensor<7x6x8x4xf32>) {
  ^bb0(%a: f32, %c: f32, %s: f32):
    %m = arith.mulf %a, %c : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<7x6x8x4xf32>
  return %0 : tensor<7x6x8x4xf32>
}
