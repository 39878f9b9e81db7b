// A 1x1 convolution with a stride becomes a product over the pixels that it reads, cut out first: channels before
// pixels and innermost, one dimension with a step, named and generic. Few products of a pixel, windows, what is known
// at run time only and loops that two dimensions share stay. The reference is of what is here.
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK-LABEL: func.func @before
// CHECK: tensor.extract_slice {{.*}} [1, 1, 2, 2]
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<32x30xf32>
// CHECK-LABEL: func.func @innermost
// CHECK: tensor.extract_slice {{.*}} [1, 3, 1, 1]
// CHECK-LABEL: func.func @uneven
// CHECK: tensor.extract_slice {{.*}} [1, 2, 3]
// CHECK-LABEL: func.func @little
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @windows
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @each_channel
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func private @tune_task_0
// RUN: sh -c 'for f in before innermost uneven little windows each_channel diagonal; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-7: Check {{ *}}ok

func.func @before(%x: tensor<1x24x10x12xf32>, %w: tensor<32x24x1x1xf32>) -> tensor<1x32x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x5x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x5x6xf32>) -> tensor<1x32x5x6xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x24x10x12xf32>, tensor<32x24x1x1xf32>) outs(%o : tensor<1x32x5x6xf32>) -> tensor<1x32x5x6xf32>
  return %r : tensor<1x32x5x6xf32>
}

// Of integers, in a batch, lines alone; something is added to.
func.func @innermost(%x: tensor<2x10x5x24xi8>, %w: tensor<1x1x24x32xi8>, %o: tensor<2x4x5x32xi32>) -> tensor<2x4x5x32xi32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[3, 1]> : tensor<2xi64>} ins(%x, %w : tensor<2x10x5x24xi8>, tensor<1x1x24x32xi8>) outs(%o : tensor<2x4x5x32xi32>) -> tensor<2x4x5x32xi32>
  return %r : tensor<2x4x5x32xi32>
}

// Generic, the image second, without a window.
func.func @uneven(%x: tensor<24x9x7xf32>, %w: tensor<32x24xf32>) -> tensor<32x5x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x5x3xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<32x5x3xf32>) -> tensor<32x5x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, y, x, c) -> (f, c)>, affine_map<(f, y, x, c) -> (c, y * 2, x * 3)>, affine_map<(f, y, x, c) -> (f, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %x : tensor<32x24xf32>, tensor<24x9x7xf32>) outs(%o : tensor<32x5x3xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<32x5x3xf32>
  return %r : tensor<32x5x3xf32>
}

// Each pixel is multiplied eight times: a copy takes as long.
func.func @little(%x: tensor<1x24x10x12xf32>, %w: tensor<8x24x1x1xf32>) -> tensor<1x8x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x5x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x5x6xf32>) -> tensor<1x8x5x6xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x24x10x12xf32>, tensor<8x24x1x1xf32>) outs(%o : tensor<1x8x5x6xf32>) -> tensor<1x8x5x6xf32>
  return %r : tensor<1x8x5x6xf32>
}

func.func @windows(%x: tensor<1x24x11x13xf32>, %w: tensor<32x24x3x3xf32>) -> tensor<1x32x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x5x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x5x6xf32>) -> tensor<1x32x5x6xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x24x11x13xf32>, tensor<32x24x3x3xf32>) outs(%o : tensor<1x32x5x6xf32>) -> tensor<1x32x5x6xf32>
  return %r : tensor<1x32x5x6xf32>
}

func.func @each_channel(%x: tensor<1x24x10x12xf32>, %w: tensor<24x1x1xf32>) -> tensor<1x24x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x24x5x6xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x5x6xf32>) -> tensor<1x24x5x6xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x24x10x12xf32>, tensor<24x1x1xf32>) outs(%o : tensor<1x24x5x6xf32>) -> tensor<1x24x5x6xf32>
  return %r : tensor<1x24x5x6xf32>
}

func.func @diagonal(%x: tensor<24x9x9xf32>, %w: tensor<32x24xf32>) -> tensor<32x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x5xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<32x5xf32>) -> tensor<32x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, y, c) -> (f, c)>, affine_map<(f, y, c) -> (c, y * 2, y * 2)>, affine_map<(f, y, c) -> (f, y)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %x : tensor<32x24xf32>, tensor<24x9x9xf32>) outs(%o : tensor<32x5xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<32x5xf32>
  return %r : tensor<32x5xf32>
}

func.func @unknown(%x: tensor<1x24x?x12xf32>, %w: tensor<32x24x1x1xf32>, %o: tensor<1x32x?x6xf32>) -> tensor<1x32x?x6xf32> {
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x24x?x12xf32>, tensor<32x24x1x1xf32>) outs(%o : tensor<1x32x?x6xf32>) -> tensor<1x32x?x6xf32>
  return %r : tensor<1x32x?x6xf32>
}
