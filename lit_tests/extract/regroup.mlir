// A convolution in groups, between reshapes of its channels to groups and back: its borders and what
// follows it on elements are computed in groups, too, so that they are one task. In a network with
// constant filters it is computed with channels innermost like what is around it. An image that others
// read with channels in one dimension, or a fill that they share, is not turned twice.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=alone --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=lines --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=read_twice --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=heads --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %S/Inputs/image_of_two_ranks.mlir --function=f --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %S/Inputs/fill_of_two_families.mlir --function=f --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %S/Inputs/border_of_i64.mlir --function=f --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#pooled = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#channel = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#channel1 = affine_map<(d0, d1, d2) -> (d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d1, d0, d2)>

// CHECK-LABEL: func.func @network(
// CHECK: call @tune_task_{{.*}} -> tensor<196x192xf32>
// CHECK: tensor.expand_shape {{.*}} : tensor<196x192xf32> into tensor<14x14x24x8xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<14x14x24x8xf32>, tensor<24x3x3x8x8xf32>, {{.*}} -> tensor<7x7x24x8xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<7x7x24x8xf32> into tensor<49x192xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<49x192xf32>, {{.*}} -> tensor<49x384xf32>
func.func @network(%x: tensor<1x64x14x14xf32>, %a: tensor<192x64x1x1xf32> {tune.constant},
    %b: tensor<192x8x3x3xf32> {tune.constant}, %c: tensor<384x192x1x1xf32> {tune.constant},
    %bias: tensor<192x1x1xf32>) -> tensor<1x384xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<1x192x14x14xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x64x14x14xf32>, tensor<192x64x1x1xf32>) outs(%f0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %p = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x192x14x14xf32> to tensor<1x192x16x16xf32>
  %e1 = tensor.empty() : tensor<1x192x7x7xf32>
  %xg = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 24, 8, 16, 16] : tensor<1x192x16x16xf32> into tensor<1x24x8x16x16xf32>
  %bg = tensor.expand_shape %b [[0, 1], [2], [3], [4]] output_shape [24, 8, 8, 3, 3] : tensor<192x8x3x3xf32> into tensor<24x8x8x3x3xf32>
  %eg = tensor.expand_shape %e1 [[0], [1, 2], [3], [4]] output_shape [1, 24, 8, 7, 7] : tensor<1x192x7x7xf32> into tensor<1x24x8x7x7xf32>
  %fg = linalg.fill ins(%zero : f32) outs(%eg : tensor<1x24x8x7x7xf32>) -> tensor<1x24x8x7x7xf32>
  %g = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%xg, %bg : tensor<1x24x8x16x16xf32>, tensor<24x8x8x3x3xf32>) outs(%fg : tensor<1x24x8x7x7xf32>) -> tensor<1x24x8x7x7xf32>
  %1 = tensor.collapse_shape %g [[0], [1, 2], [3], [4]] : tensor<1x24x8x7x7xf32> into tensor<1x192x7x7xf32>
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<1x192x7x7xf32>, tensor<192x1x1xf32>) outs(%e1 : tensor<1x192x7x7xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<1x192x7x7xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2 : tensor<1x192x7x7xf32>) outs(%e1 : tensor<1x192x7x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    %x0 = math.exp %n : f32
    %x1 = arith.addf %x0, %one : f32
    %x2 = arith.divf %one, %x1 : f32
    linalg.yield %x2 : f32
  } -> tensor<1x192x7x7xf32>
  %4 = linalg.mul ins(%2, %3 : tensor<1x192x7x7xf32>, tensor<1x192x7x7xf32>) outs(%e1 : tensor<1x192x7x7xf32>) -> tensor<1x192x7x7xf32>
  %e2 = tensor.empty() : tensor<1x384x7x7xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x384x7x7xf32>) -> tensor<1x384x7x7xf32>
  %5 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%4, %c : tensor<1x192x7x7xf32>, tensor<384x192x1x1xf32>) outs(%f2 : tensor<1x384x7x7xf32>) -> tensor<1x384x7x7xf32>
  %e3 = tensor.empty() : tensor<1x384xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x384xf32>) -> tensor<1x384xf32>
  %6 = linalg.generic {indexing_maps = [#id, #pooled], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%5 : tensor<1x384x7x7xf32>) outs(%f3 : tensor<1x384xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x384xf32>
  return %6 : tensor<1x384xf32>
}

// By itself it keeps its layout.
// CHECK-LABEL: func.func @alone(
// CHECK: call @tune_task_{{.*}} : (tensor<3x4x15x15xf32>, tensor<3x5x4x3x3xf32>, {{.*}} -> tensor<3x5x15x15xf32>
// CHECK-NOT: call
// CHECK: return
func.func @alone(%x: tensor<1x12x15x15xf32>, %b: tensor<15x4x3x3xf32>, %r: tensor<1x15x15x15xf32>) -> tensor<1x15x15x15xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x12x15x15xf32> to tensor<1x12x17x17xf32>
  %xg = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 3, 4, 17, 17] : tensor<1x12x17x17xf32> into tensor<1x3x4x17x17xf32>
  %bg = tensor.expand_shape %b [[0, 1], [2], [3], [4]] output_shape [3, 5, 4, 3, 3] : tensor<15x4x3x3xf32> into tensor<3x5x4x3x3xf32>
  %e = tensor.empty() : tensor<1x15x15x15xf32>
  %eg = tensor.empty() : tensor<1x3x5x15x15xf32>
  %fg = linalg.fill ins(%zero : f32) outs(%eg : tensor<1x3x5x15x15xf32>) -> tensor<1x3x5x15x15xf32>
  %g = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%xg, %bg : tensor<1x3x4x17x17xf32>, tensor<3x5x4x3x3xf32>) outs(%fg : tensor<1x3x5x15x15xf32>) -> tensor<1x3x5x15x15xf32>
  %1 = tensor.collapse_shape %g [[0], [1, 2], [3], [4]] : tensor<1x3x5x15x15xf32> into tensor<1x15x15x15xf32>
  %2 = linalg.add ins(%1, %r : tensor<1x15x15x15xf32>, tensor<1x15x15x15xf32>) outs(%e : tensor<1x15x15x15xf32>) -> tensor<1x15x15x15xf32>
  return %2 : tensor<1x15x15x15xf32>
}

// Along a line, with borders along the channels, which stay where they are.
// CHECK-LABEL: func.func @lines(
func.func @lines(%x: tensor<2x10x20xf32>, %b: tensor<3x4x4x3xf32> {tune.constant}, %bias: tensor<12xf32>) -> tensor<2x12x18xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x10x20xf32> to tensor<2x12x20xf32>
  %xg = tensor.expand_shape %p [[0], [1, 2], [3]] output_shape [2, 3, 4, 20] : tensor<2x12x20xf32> into tensor<2x3x4x20xf32>
  %eg = tensor.empty() : tensor<2x3x4x18xf32>
  %fg = linalg.fill ins(%zero : f32) outs(%eg : tensor<2x3x4x18xf32>) -> tensor<2x3x4x18xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(n, g, f, w, c, k) -> (n, g, c, w + k)>, affine_map<(n, g, f, w, c, k) -> (g, f, c, k)>,
                                        affine_map<(n, g, f, w, c, k) -> (n, g, f, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%xg, %b : tensor<2x3x4x20xf32>, tensor<3x4x4x3xf32>) outs(%fg : tensor<2x3x4x18xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4x18xf32>
  %1 = tensor.collapse_shape %g [[0], [1, 2], [3]] : tensor<2x3x4x18xf32> into tensor<2x12x18xf32>
  %e = tensor.empty() : tensor<2x12x18xf32>
  %2 = linalg.generic {indexing_maps = [#id3, #channel1, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<2x12x18xf32>, tensor<12xf32>) outs(%e : tensor<2x12x18xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<2x12x18xf32>
  return %2 : tensor<2x12x18xf32>
}

// What is read in another order, too, is reshaped where it was.
// CHECK-LABEL: func.func @read_twice(
// CHECK: [[P:%.*]] = call @tune_task_{{.*}} -> tensor<2x3x6x6xf32>
// CHECK: tensor.collapse_shape [[P]]
// CHECK: call @tune_task_{{.*}} -> tensor<6x6x6xf32>
func.func @read_twice(%x: tensor<2x3x6x5xf32>, %w: tensor<2x3x5x6xf32>) -> (tensor<6x6x6xf32>, tensor<6x6x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<2x3x6x6xf32>
  %e = tensor.empty() : tensor<6x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(a, b, i, j, k) -> (a, b, i, k)>, affine_map<(a, b, i, j, k) -> (a, b, k, j)>,
                                        affine_map<(a, b, i, j, k) -> (a, b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x3x6x5xf32>, tensor<2x3x5x6xf32>) outs(%f : tensor<2x3x6x6xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<2x3x6x6xf32>
  %c = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x3x6x6xf32> into tensor<6x6x6xf32>
  %1 = linalg.generic {indexing_maps = [#id3, #turned, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %c : tensor<6x6x6xf32>, tensor<6x6x6xf32>) outs(%e : tensor<6x6x6xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<6x6x6xf32>
  %2 = linalg.exp ins(%1 : tensor<6x6x6xf32>) outs(%e : tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
  return %1, %2 : tensor<6x6x6xf32>, tensor<6x6x6xf32>
}

// Scores of heads, whose batch and heads are one dimension after the product.
// CHECK-LABEL: func.func @heads(
// CHECK: call @tune_task_{{.*}} -> tensor<2x4x16x16xf32>
// CHECK-NOT: call
// CHECK: return
func.func @heads(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x8x16xf32>, %mask: tensor<16x16xf32>) -> tensor<8x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<2x4x16x16xf32>
  %e = tensor.empty() : tensor<8x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(a, b, i, j, k) -> (a, b, i, k)>, affine_map<(a, b, i, j, k) -> (a, b, k, j)>,
                                        affine_map<(a, b, i, j, k) -> (a, b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x16x8xf32>, tensor<2x4x8x16xf32>) outs(%f : tensor<2x4x16x16xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<2x4x16x16xf32>
  %c = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32>
  %1 = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d1, d2)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %mask : tensor<8x16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16x16xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<8x16x16xf32>
  return %1 : tensor<8x16x16xf32>
}
