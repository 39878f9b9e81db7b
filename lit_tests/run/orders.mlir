// Where the result of a 1x1 convolution is turned to lines of pixels the product makes it so, with the ops on elements
// between; a convolution of each channel with itself before it takes part where its image was turned as well, and so
// do parts of such images, their borders, and a second product. What somebody else reads, windows over all channels,
// few pixels, narrow types, places and unknown sizes stay as they are. The reference is of what is here.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK-LABEL: func.func @product
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x35xf32>
// CHECK-LABEL: func.func @operands
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<2x16x35xf32>
// CHECK-LABEL: func.func @separable
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<8x9x10xf32>
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x90xf32>
// CHECK-LABEL: func.func @inverted
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<12x48xf32>
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<12x3x4xf32>
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<5x12xf32>
// CHECK-LABEL: func.func @part
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<32x20xf32>
// CHECK-LABEL: func.func @read_twice
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> {{.*}}tensor<7x5x16xf32>
// CHECK-LABEL: func.func @windows
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x5x3xf32>
// CHECK-LABEL: func.func @rows
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<2x16x24xf32>
// CHECK-LABEL: func.func @few
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x2x3xf32>
// CHECK-LABEL: func.func @narrow
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x7x5xi32>
// CHECK-LABEL: func.func @places
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<35x16xf32>
// CHECK-LABEL: func.func @unknown
// CHECK: call @tune_task_{{[0-9]+}}({{.*}} -> tensor<16x?x5xf32>
// RUN: sh -c 'for f in product operands separable inverted part read_twice windows rows few narrow places; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-11: Check {{ *}}ok

#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>
#last = affine_map<(a, b, c, d) -> (d)>

// As TOSA writes it: a bias that the sums start from, a maximum, turned, something added.
func.func @product(%x: tensor<1x7x5x24xf32>, %w: tensor<16x1x1x24xf32>, %b: tensor<16xf32>, %y: tensor<1x16x7x5xf32>) -> tensor<1x16x7x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x5x16xf32>
  %t = tensor.empty() : tensor<1x16x7x5xf32>
  %o = linalg.generic {indexing_maps = [#last, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b : tensor<16xf32>) outs(%e : tensor<1x7x5x16xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<1x7x5x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x7x5x24xf32>, tensor<16x1x1x24xf32>) outs(%o : tensor<1x7x5x16xf32>) -> tensor<1x7x5x16xf32>
  %m = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<1x7x5x16xf32>) outs(%e : tensor<1x7x5x16xf32>) {
  ^bb0(%p: f32, %q: f32):
    %k = arith.maximumf %p, %z : f32
    linalg.yield %k : f32
  } -> tensor<1x7x5x16xf32>
  %s = linalg.transpose ins(%m : tensor<1x7x5x16xf32>) outs(%t : tensor<1x16x7x5xf32>) permutation = [0, 3, 1, 2]
  %g = linalg.add ins(%s, %y : tensor<1x16x7x5xf32>, tensor<1x16x7x5xf32>) outs(%t : tensor<1x16x7x5xf32>) -> tensor<1x16x7x5xf32>
  return %g : tensor<1x16x7x5xf32>
}

// Another operand of the op between is read as it lies; the filter comes first, the fill is somebody else's as well.
func.func @operands(%x: tensor<2x7x5x24xf32>, %w: tensor<24x16xf32>, %y: tensor<2x7x5x16xf32>) -> (tensor<2x16x7x5xf32>, tensor<2x7x5x16xf32>) {
  %z = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x7x5x16xf32>
  %t = tensor.empty() : tensor<2x16x7x5xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x5x16xf32>) -> tensor<2x7x5x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, y, x, f, c) -> (c, f)>, affine_map<(n, y, x, f, c) -> (n, y, x, c)>, affine_map<(n, y, x, f, c) -> (n, y, x, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%w, %x : tensor<24x16xf32>, tensor<2x7x5x24xf32>) outs(%o : tensor<2x7x5x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x7x5x16xf32>
  %g = linalg.add ins(%r, %y : tensor<2x7x5x16xf32>, tensor<2x7x5x16xf32>) outs(%e : tensor<2x7x5x16xf32>) -> tensor<2x7x5x16xf32>
  %s = linalg.transpose ins(%g : tensor<2x7x5x16xf32>) outs(%t : tensor<2x16x7x5xf32>) permutation = [0, 3, 1, 2]
  return %s, %o : tensor<2x16x7x5xf32>, tensor<2x7x5x16xf32>
}

// A convolution of each channel with itself, with borders, over an image that was turned, and a product.
func.func @separable(%x: tensor<1x8x9x10xf32>, %k: tensor<3x3x8x1xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<1x16x9x10xf32> {
  %z = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<1x9x10x8xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x9x10xf32>) outs(%te : tensor<1x9x10x8xf32>) permutation = [0, 2, 3, 1]
  %b = tensor.pad %t low[0, 1, 2, 0] high[0, 1, 0, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %z : f32
  } : tensor<1x9x10x8xf32> to tensor<1x11x12x8xf32>
  %de = tensor.empty() : tensor<1x9x10x8x1xf32>
  %d0 = linalg.fill ins(%z : f32) outs(%de : tensor<1x9x10x8x1xf32>) -> tensor<1x9x10x8x1xf32>
  %d = linalg.depthwise_conv_2d_nhwc_hwcm ins(%b, %k : tensor<1x11x12x8xf32>, tensor<3x3x8x1xf32>) outs(%d0 : tensor<1x9x10x8x1xf32>) -> tensor<1x9x10x8x1xf32>
  %c = tensor.collapse_shape %d [[0], [1], [2], [3, 4]] : tensor<1x9x10x8x1xf32> into tensor<1x9x10x8xf32>
  %m = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<1x9x10x8xf32>) outs(%te : tensor<1x9x10x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %h = arith.maximumf %p, %z : f32
    linalg.yield %h : f32
  } -> tensor<1x9x10x8xf32>
  %re = tensor.empty() : tensor<1x9x10x16xf32>
  %r0 = linalg.fill ins(%z : f32) outs(%re : tensor<1x9x10x16xf32>) -> tensor<1x9x10x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%m, %w : tensor<1x9x10x8xf32>, tensor<16x1x1x8xf32>) outs(%r0 : tensor<1x9x10x16xf32>) -> tensor<1x9x10x16xf32>
  %se = tensor.empty() : tensor<1x16x9x10xf32>
  %s = linalg.transpose ins(%r : tensor<1x9x10x16xf32>) outs(%se : tensor<1x16x9x10xf32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x16x9x10xf32>
}

// A product before that one, and steps of the window.
func.func @inverted(%x: tensor<1x8x6x8xf32>, %v: tensor<12x1x1x8xf32>, %k: tensor<2x2x12xf32>, %w: tensor<5x1x1x12xf32>) -> tensor<1x5x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<1x6x8x8xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x6x8xf32>) outs(%te : tensor<1x6x8x8xf32>) permutation = [0, 2, 3, 1]
  %ae = tensor.empty() : tensor<1x6x8x12xf32>
  %a0 = linalg.fill ins(%z : f32) outs(%ae : tensor<1x6x8x12xf32>) -> tensor<1x6x8x12xf32>
  %a = linalg.conv_2d_nhwc_fhwc ins(%t, %v : tensor<1x6x8x8xf32>, tensor<12x1x1x8xf32>) outs(%a0 : tensor<1x6x8x12xf32>) -> tensor<1x6x8x12xf32>
  %de = tensor.empty() : tensor<1x3x4x12xf32>
  %d0 = linalg.fill ins(%z : f32) outs(%de : tensor<1x3x4x12xf32>) -> tensor<1x3x4x12xf32>
  %d = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>} ins(%a, %k : tensor<1x6x8x12xf32>, tensor<2x2x12xf32>) outs(%d0 : tensor<1x3x4x12xf32>) -> tensor<1x3x4x12xf32>
  %re = tensor.empty() : tensor<1x3x4x5xf32>
  %r0 = linalg.fill ins(%z : f32) outs(%re : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%d, %w : tensor<1x3x4x12xf32>, tensor<5x1x1x12xf32>) outs(%r0 : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %se = tensor.empty() : tensor<1x5x3x4xf32>
  %s = linalg.transpose ins(%r : tensor<1x3x4x5xf32>) outs(%se : tensor<1x5x3x4xf32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x5x3x4xf32>
}

// Every second pixel of a part of an image that was turned, for another reader too.
func.func @part(%x: tensor<1x24x10x8xf32>, %w: tensor<32x1x1x24xf32>) -> (tensor<1x32x5x4xf32>, tensor<1x10x8x24xf32>) {
  %z = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<1x10x8x24xf32>
  %t = linalg.transpose ins(%x : tensor<1x24x10x8xf32>) outs(%te : tensor<1x10x8x24xf32>) permutation = [0, 2, 3, 1]
  %p = tensor.extract_slice %t[0, 1, 0, 0] [1, 9, 8, 24] [1, 1, 1, 1] : tensor<1x10x8x24xf32> to tensor<1x9x8x24xf32>
  %re = tensor.empty() : tensor<1x5x4x32xf32>
  %r0 = linalg.fill ins(%z : f32) outs(%re : tensor<1x5x4x32xf32>) -> tensor<1x5x4x32xf32>
  %r = linalg.conv_2d_nhwc_fhwc {strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<1x9x8x24xf32>, tensor<32x1x1x24xf32>) outs(%r0 : tensor<1x5x4x32xf32>) -> tensor<1x5x4x32xf32>
  %se = tensor.empty() : tensor<1x32x5x4xf32>
  %s = linalg.transpose ins(%r : tensor<1x5x4x32xf32>) outs(%se : tensor<1x32x5x4xf32>) permutation = [0, 3, 1, 2]
  return %s, %t : tensor<1x32x5x4xf32>, tensor<1x10x8x24xf32>
}

// What is turned is a result as well.
func.func @read_twice(%x: tensor<1x7x5x24xf32>, %w: tensor<16x1x1x24xf32>) -> (tensor<1x16x7x5xf32>, tensor<1x7x5x16xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x5x16xf32>
  %t = tensor.empty() : tensor<1x16x7x5xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x5x16xf32>) -> tensor<1x7x5x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x7x5x24xf32>, tensor<16x1x1x24xf32>) outs(%o : tensor<1x7x5x16xf32>) -> tensor<1x7x5x16xf32>
  %s = linalg.transpose ins(%r : tensor<1x7x5x16xf32>) outs(%t : tensor<1x16x7x5xf32>) permutation = [0, 3, 1, 2]
  return %s, %r : tensor<1x16x7x5xf32>, tensor<1x7x5x16xf32>
}

// Windows of all channels.
func.func @windows(%x: tensor<1x7x5x24xf32>, %w: tensor<16x3x3x24xf32>) -> tensor<1x16x5x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x3x16xf32>
  %t = tensor.empty() : tensor<1x16x5x3xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x3x16xf32>) -> tensor<1x5x3x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x7x5x24xf32>, tensor<16x3x3x24xf32>) outs(%o : tensor<1x5x3x16xf32>) -> tensor<1x5x3x16xf32>
  %s = linalg.transpose ins(%r : tensor<1x5x3x16xf32>) outs(%t : tensor<1x16x5x3xf32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x16x5x3xf32>
}

// A batch of products has one dimension of rows.
func.func @rows(%x: tensor<2x24x8xf32>, %w: tensor<2x8x16xf32>) -> tensor<2x16x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24x16xf32>
  %t = tensor.empty() : tensor<2x16x24xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %r = linalg.batch_matmul ins(%x, %w : tensor<2x24x8xf32>, tensor<2x8x16xf32>) outs(%o : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %s = linalg.transpose ins(%r : tensor<2x24x16xf32>) outs(%t : tensor<2x16x24xf32>) permutation = [0, 2, 1]
  return %s : tensor<2x16x24xf32>
}

// Fewer pixels than a vector has elements.
func.func @few(%x: tensor<1x2x3x24xf32>, %w: tensor<16x1x1x24xf32>) -> tensor<1x16x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x16xf32>
  %t = tensor.empty() : tensor<1x16x2x3xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x3x16xf32>) -> tensor<1x2x3x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x2x3x24xf32>, tensor<16x1x1x24xf32>) outs(%o : tensor<1x2x3x16xf32>) -> tensor<1x2x3x16xf32>
  %s = linalg.transpose ins(%r : tensor<1x2x3x16xf32>) outs(%t : tensor<1x16x2x3xf32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x16x2x3xf32>
}

// Bytes are multiplied by other instructions.
func.func @narrow(%x: tensor<1x7x5x24xi8>, %w: tensor<16x1x1x24xi8>) -> tensor<1x16x7x5xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x7x5x16xi32>
  %t = tensor.empty() : tensor<1x16x7x5xi32>
  %o = linalg.fill ins(%z : i32) outs(%e : tensor<1x7x5x16xi32>) -> tensor<1x7x5x16xi32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x7x5x24xi8>, tensor<16x1x1x24xi8>) outs(%o : tensor<1x7x5x16xi32>) -> tensor<1x7x5x16xi32>
  %s = linalg.transpose ins(%r : tensor<1x7x5x16xi32>) outs(%t : tensor<1x16x7x5xi32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x16x7x5xi32>
}

// An op between asks which channel it is at.
func.func @places(%x: tensor<1x7x5x24xf32>, %w: tensor<16x1x1x24xf32>) -> tensor<1x16x7x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x5x16xf32>
  %t = tensor.empty() : tensor<1x16x7x5xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x5x16xf32>) -> tensor<1x7x5x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x7x5x24xf32>, tensor<16x1x1x24xf32>) outs(%o : tensor<1x7x5x16xf32>) -> tensor<1x7x5x16xf32>
  %m = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<1x7x5x16xf32>) outs(%e : tensor<1x7x5x16xf32>) {
  ^bb0(%p: f32, %q: f32):
    %i = linalg.index 3 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %k = arith.mulf %p, %f : f32
    linalg.yield %k : f32
  } -> tensor<1x7x5x16xf32>
  %s = linalg.transpose ins(%m : tensor<1x7x5x16xf32>) outs(%t : tensor<1x16x7x5xf32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x16x7x5xf32>
}

// Sizes known at run time only.
func.func @unknown(%x: tensor<1x?x5x24xf32>, %w: tensor<16x1x1x24xf32>) -> tensor<1x16x?x5xf32> {
  %z = arith.constant 0.0 : f32
  %i = arith.constant 1 : index
  %n = tensor.dim %x, %i : tensor<1x?x5x24xf32>
  %e = tensor.empty(%n) : tensor<1x?x5x16xf32>
  %t = tensor.empty(%n) : tensor<1x16x?x5xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x?x5x16xf32>) -> tensor<1x?x5x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x?x5x24xf32>, tensor<16x1x1x24xf32>) outs(%o : tensor<1x?x5x16xf32>) -> tensor<1x?x5x16xf32>
  %s = linalg.transpose ins(%r : tensor<1x?x5x16xf32>) outs(%t : tensor<1x16x?x5xf32>) permutation = [0, 3, 1, 2]
  return %s : tensor<1x16x?x5xf32>
}
