// An image that a window covers whole is a row: what is summed up is one loop, in the filter's order.
// The image is turned where it is in another one, and several images are rows. Other products stay.

// RUN: tune-opt %s --tune-extract | FileCheck %s
// RUN: tune-run %s --function=nhwc_by_fchw --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=images --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=line --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=diagonals --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=diagonal --db= --strict --check --time=0.01 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: ok

// CHECK-LABEL: func.func @nhwc_by_fchw
// CHECK: call @tune_task_{{.*}} -> tensor<7x3x5xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{.*}} into tensor<105xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<105xf32>, tensor<24x105xf32>,
func.func @nhwc_by_fchw(%x: tensor<3x5x7xf32>, %w: tensor<24x7x3x5xf32>, %r: tensor<24xf32>)
    -> tensor<24xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(f, h, w, c) -> (h, w, c)>, affine_map<(f, h, w, c) -> (f, c, h, w)>,
                       affine_map<(f, h, w, c) -> (f)>],
      iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<3x5x7xf32>, tensor<24x7x3x5xf32>) outs(%r : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// CHECK-LABEL: func.func @images
// CHECK: call @tune_task_{{.*}} : (tensor<3x245xf32>, tensor<24x245xf32>,
func.func @images(%x: tensor<3x5x7x7xf32>, %w: tensor<24x5x7x7xf32>, %r: tensor<3x24x1x1xf32>)
    -> tensor<3x24x1x1xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<3x5x7x7xf32>, tensor<24x5x7x7xf32>)
      outs(%r : tensor<3x24x1x1xf32>) -> tensor<3x24x1x1xf32>
  return %0 : tensor<3x24x1x1xf32>
}

// A dimension of one element between those that are summed up.
// CHECK-LABEL: func.func @line
// CHECK: call @tune_task_{{.*}} : (tensor<35xf32>, tensor<24x35xf32>,
func.func @line(%x: tensor<5x1x7xf32>, %w: tensor<24x5x7xf32>, %r: tensor<24xf32>) -> tensor<24xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(f, c, w) -> (c, 0, w)>, affine_map<(f, c, w) -> (f, c, w)>,
                       affine_map<(f, c, w) -> (f)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<5x1x7xf32>, tensor<24x5x7xf32>) outs(%r : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// No image: the rules for products pack it.
// CHECK-LABEL: func.func @rows_of_two_loops
// CHECK: call @tune_task_{{.*}} : (tensor<9x5x7xf32>, tensor<24x5x7xf32>,
func.func @rows_of_two_loops(%x: tensor<9x5x7xf32>, %w: tensor<24x5x7xf32>, %r: tensor<9x24xf32>)
    -> tensor<9x24xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(n, f, c, w) -> (n, c, w)>, affine_map<(n, f, c, w) -> (f, c, w)>,
                       affine_map<(n, f, c, w) -> (n, f)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x5x7xf32>, tensor<24x5x7xf32>) outs(%r : tensor<9x24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<9x24xf32>
  return %0 : tensor<9x24xf32>
}

// Diagonals are no dimensions that could be one.
// CHECK-LABEL: func.func @diagonals
// CHECK-NOT: tensor<64xf32>
// CHECK-LABEL: func.func @diagonal(
// CHECK-NOT: tensor<64xf32>
func.func @diagonals(%x: tensor<8x8xf32>, %w: tensor<24x8x8xf32>, %r: tensor<24xf32>) -> tensor<24xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(f, k) -> (k, k)>, affine_map<(f, k) -> (f, k, k)>, affine_map<(f, k) -> (f)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<8x8xf32>, tensor<24x8x8xf32>) outs(%r : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

func.func @diagonal(%x: tensor<8x8xf32>, %w: tensor<24x8x8xf32>, %r: tensor<24xf32>) -> tensor<24xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(f, k, l) -> (k, l)>, affine_map<(f, k, l) -> (f, k, k)>, affine_map<(f, k, l) -> (f)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x8xf32>, tensor<24x8x8xf32>) outs(%r : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}
