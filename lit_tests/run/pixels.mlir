// 1x1 convolutions with channels before pixels become products over all pixels, and the ops on elements after them
// come along: named and generic, of batches, of three dimensions, with a bias in the sums or after them, with
// something else added. Windows and strides stay, and so does what goes with a product that stays, what uses places,
// and what is not known. The reference is of what is here.
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK-LABEL: func.func @chain
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x35xf32>
// CHECK-NOT: call
// CHECK-LABEL: func.func @batches
// CHECK-COUNT-2: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<3x5x36xf32>
// CHECK-LABEL: func.func @volume
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<5x120xf32>
// CHECK-LABEL: func.func @windows
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<8x6x6xf32>
// CHECK-LABEL: func.func @strided
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<2x8x6x6xf32>
// CHECK-LABEL: func.func @of_windows
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<8x36xf32>
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<8x6x6xf32>
// CHECK-LABEL: func.func @places
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<4x36xf32>
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<4x6x6xf32>
// CHECK-LABEL: func.func @unknown
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<4x?x6xf32>
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<4x5x6xf32>
// RUN: sh -c 'for f in chain batches volume windows strided of_windows places stays; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-8: Check {{ *}}ok

#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>
#bias = affine_map<(a, b, c, d) -> (b)>

// As torch writes a block: a bias, something that is added, a maximum; what is added is used again.
func.func @chain(%x: tensor<1x24x7x5xf32>, %w: tensor<16x24x1x1xf32>, %b: tensor<16xf32>, %y: tensor<1x16x7x5xf32>) -> tensor<1x16x7x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x7x5xf32>
  %o = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<1x16x7x5xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x24x7x5xf32>, tensor<16x24x1x1xf32>) outs(%o : tensor<1x16x7x5xf32>) -> tensor<1x16x7x5xf32>
  %s = linalg.add ins(%r, %y : tensor<1x16x7x5xf32>, tensor<1x16x7x5xf32>) outs(%e : tensor<1x16x7x5xf32>) -> tensor<1x16x7x5xf32>
  %g = linalg.generic {indexing_maps = [#id4, #bias, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %b, %y : tensor<1x16x7x5xf32>, tensor<16xf32>, tensor<1x16x7x5xf32>) outs(%e : tensor<1x16x7x5xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32, %u: f32):
    %m = arith.addf %p, %q : f32
    %n = arith.mulf %m, %t : f32
    %k = arith.maximumf %n, %z : f32
    linalg.yield %k : f32
  } -> tensor<1x16x7x5xf32>
  return %g : tensor<1x16x7x5xf32>
}

// The filter first, and channels outermost in it.
func.func @batches(%x: tensor<3x8x6x6xf32>, %w: tensor<8x5xf32>) -> (tensor<3x5x6x6xf32>, tensor<3x5x6x6xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5x6x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<3x5x6x6xf32>) -> tensor<3x5x6x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, y, x, c) -> (c, f)>, affine_map<(n, f, y, x, c) -> (n, c, y, x)>, affine_map<(n, f, y, x, c) -> (n, f, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%w, %x : tensor<8x5xf32>, tensor<3x8x6x6xf32>) outs(%o : tensor<3x5x6x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<3x5x6x6xf32>
  %s = linalg.exp ins(%r : tensor<3x5x6x6xf32>) outs(%e : tensor<3x5x6x6xf32>) -> tensor<3x5x6x6xf32>
  return %r, %s : tensor<3x5x6x6xf32>, tensor<3x5x6x6xf32>
}

func.func @volume(%x: tensor<8x4x5x6xf32>, %w: tensor<5x8xf32>) -> tensor<5x4x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x4x5x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<5x4x5x6xf32>) -> tensor<5x4x5x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, t, y, x, c) -> (c, t, y, x)>, affine_map<(f, t, y, x, c) -> (f, c)>, affine_map<(f, t, y, x, c) -> (f, t, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x4x5x6xf32>, tensor<5x8xf32>) outs(%o : tensor<5x4x5x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<5x4x5x6xf32>
  return %r : tensor<5x4x5x6xf32>
}

func.func @windows(%x: tensor<1x8x8x8xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x6x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%o : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %r : tensor<1x8x6x6xf32>
}

func.func @strided(%x: tensor<2x8x11x11xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x6x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x8x11x11xf32>, tensor<8x8x1x1xf32>) outs(%o : tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %r : tensor<2x8x6x6xf32>
}

// The sum of both goes with the one that has windows.
func.func @of_windows(%x: tensor<8x8x8xf32>, %w: tensor<8x8x3x3xf32>, %v: tensor<8x8x1x1xf32>, %y: tensor<8x6x6xf32>) -> tensor<8x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, y, x, c, p, q) -> (c, y + p, x + q)>, affine_map<(f, y, x, c, p, q) -> (f, c, p, q)>, affine_map<(f, y, x, c, p, q) -> (f, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%o : tensor<8x6x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<8x6x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(f, y, x, c, p, q) -> (c, y + p, x + q)>, affine_map<(f, y, x, c, p, q) -> (f, c, p, q)>, affine_map<(f, y, x, c, p, q) -> (f, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%y, %v : tensor<8x6x6xf32>, tensor<8x8x1x1xf32>) outs(%o : tensor<8x6x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<8x6x6xf32>
  %u = linalg.add ins(%r, %s : tensor<8x6x6xf32>, tensor<8x6x6xf32>) outs(%e : tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
  return %u : tensor<8x6x6xf32>
}

func.func @places(%x: tensor<8x6x6xf32>, %w: tensor<4x8xf32>) -> tensor<4x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, y, x, c) -> (c, y, x)>, affine_map<(f, y, x, c) -> (f, c)>, affine_map<(f, y, x, c) -> (f, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x6x6xf32>, tensor<4x8xf32>) outs(%o : tensor<4x6x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<4x6x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(f, y, x) -> (f, y, x)>, affine_map<(f, y, x) -> (f, y, x)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<4x6x6xf32>) outs(%e : tensor<4x6x6xf32>) {
  ^bb0(%p: f32, %q: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %m = arith.mulf %p, %k : f32
    linalg.yield %m : f32
  } -> tensor<4x6x6xf32>
  return %s : tensor<4x6x6xf32>
}

func.func @unknown(%x: tensor<8x?x6xf32>, %w: tensor<4x8xf32>, %o: tensor<4x?x6xf32>) -> tensor<4x?x6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(f, y, x, c) -> (c, y, x)>, affine_map<(f, y, x, c) -> (f, c)>, affine_map<(f, y, x, c) -> (f, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x?x6xf32>, tensor<4x8xf32>) outs(%o : tensor<4x?x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<4x?x6xf32>
  return %r : tensor<4x?x6xf32>
}

// Lines in another order; the last dimension is in both factors.
func.func @stays(%x: tensor<8x6x5xf32>, %w: tensor<4x8xf32>, %v: tensor<4x8x6xf32>) -> (tensor<4x5x6xf32>, tensor<4x5x6xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, x, y, c) -> (c, y, x)>, affine_map<(f, x, y, c) -> (f, c)>, affine_map<(f, x, y, c) -> (f, x, y)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x6x5xf32>, tensor<4x8xf32>) outs(%o : tensor<4x5x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<4x5x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(f, x, y, c) -> (c, y, x)>, affine_map<(f, x, y, c) -> (f, c, y)>, affine_map<(f, x, y, c) -> (f, x, y)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %v : tensor<8x6x5xf32>, tensor<4x8x6xf32>) outs(%o : tensor<4x5x6xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<4x5x6xf32>
  return %r, %s : tensor<4x5x6xf32>, tensor<4x5x6xf32>
}
