// Transposed convolutions, images with zeroes between their pixels, become convolutions over the image as it was,
// with channels for each phase: named ops and generic ones, filters first and last, steps along one dimension and
// several, in groups, of integers, with something to add to. Where no channels are the filter's alone, where the
// window itself moves in steps, where sums would be rounded elsewhere, and where a pixel would be multiplied that
// was not, they stay. The reference is of what is here, so that a mistake shows.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK-LABEL: func.func @generator
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @segments
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @uneven
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @infinite
// CHECK: insert_slice
// CHECK-LABEL: func.func @biased
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @single
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @beyond
// CHECK: insert_slice
// CHECK-LABEL: func.func @lines
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @cut
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @rounded
// CHECK: insert_slice
// CHECK-LABEL: func.func @groups
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @depthwise
// CHECK: insert_slice
// CHECK-LABEL: func.func @strided
// CHECK: insert_slice
// RUN: sh -c 'for f in generator segments uneven infinite biased single beyond lines cut rounded groups depthwise strided; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-13: Check {{ *}}ok

// The convolution alone is what choices are of.
// RUN: tune-opt %s --tune-annotate 2>&1 | FileCheck %s --check-prefix=CHOICES
// CHOICES-LABEL: func.func @generator
// CHOICES: linalg.conv_2d_nchw_fchw {{{.*}}tune.choices

// As torch writes a decoder's upsampling by two: what is computed beyond the result is cut off.
func.func @generator(%i: tensor<1x24x9x7xf32>, %w: tensor<16x24x4x4xf32>) -> tensor<1x16x18x14xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x24x21x17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x21x17xf32>) -> tensor<1x24x21x17xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 2, 2] [1, 24, 9, 7] [1, 1, 2, 2] : tensor<1x24x9x7xf32> into tensor<1x24x21x17xf32>
  %za = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x16x18x14xf32>
  %o = linalg.fill ins(%za : f32) outs(%e2 : tensor<1x16x18x14xf32>) -> tensor<1x16x18x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x24x21x17xf32>, tensor<16x24x4x4xf32>) outs(%o : tensor<1x16x18x14xf32>) -> tensor<1x16x18x14xf32>
  return %r : tensor<1x16x18x14xf32>
}

// A window as large as its steps: a product.
func.func @segments(%i: tensor<1x9x7x24xf32>, %w: tensor<2x2x24x8xf32>) -> tensor<1x18x14x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x19x15x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x19x15x24xf32>) -> tensor<1x19x15x24xf32>
  %a = tensor.insert_slice %i into %f[0, 1, 1, 0] [1, 9, 7, 24] [1, 2, 2, 1] : tensor<1x9x7x24xf32> into tensor<1x19x15x24xf32>
  %za = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x18x14x8xf32>
  %o = linalg.fill ins(%za : f32) outs(%e2 : tensor<1x18x14x8xf32>) -> tensor<1x18x14x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x19x15x24xf32>, tensor<2x2x24x8xf32>) outs(%o : tensor<1x18x14x8xf32>) -> tensor<1x18x14x8xf32>
  return %r : tensor<1x18x14x8xf32>
}

// One phase has a tap less, of integers; something is added to.
func.func @uneven(%i: tensor<1x8x9x7xi8>, %w: tensor<16x8x3x3xi8>, %o: tensor<1x16x18x14xi32>) -> tensor<1x16x18x14xi32> {
  %z = arith.constant 0 : i8
  %e = tensor.empty() : tensor<1x8x20x16xi8>
  %f = linalg.fill ins(%z : i8) outs(%e : tensor<1x8x20x16xi8>) -> tensor<1x8x20x16xi8>
  %a = tensor.insert_slice %i into %f[0, 0, 1, 1] [1, 8, 9, 7] [1, 1, 2, 2] : tensor<1x8x9x7xi8> into tensor<1x8x20x16xi8>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x20x16xi8>, tensor<16x8x3x3xi8>) outs(%o : tensor<1x16x18x14xi32>) -> tensor<1x16x18x14xi32>
  return %r : tensor<1x16x18x14xi32>
}

// Of floats an infinite pixel would be multiplied by that tap, which is zero.
func.func @infinite(%i: tensor<1x8x9x7xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x18x14xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x20x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x20x16xf32>) -> tensor<1x8x20x16xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 1, 1] [1, 8, 9, 7] [1, 1, 2, 2] : tensor<1x8x9x7xf32> into tensor<1x8x20x16xf32>
  %za = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x16x18x14xf32>
  %o = linalg.fill ins(%za : f32) outs(%e2 : tensor<1x16x18x14xf32>) -> tensor<1x16x18x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x20x16xf32>, tensor<16x8x3x3xf32>) outs(%o : tensor<1x16x18x14xf32>) -> tensor<1x16x18x14xf32>
  return %r : tensor<1x16x18x14xf32>
}

// The bias is what is added to.
func.func @biased(%i: tensor<1x9x7x8xf32>, %w: tensor<6x2x8x16xf32>, %o: tensor<1x27x14x16xf32>) -> tensor<1x27x14x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x15x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x15x8xf32>) -> tensor<1x32x15x8xf32>
  %a = tensor.insert_slice %i into %f[0, 3, 1, 0] [1, 9, 7, 8] [1, 3, 2, 1] : tensor<1x9x7x8xf32> into tensor<1x32x15x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x32x15x8xf32>, tensor<6x2x8x16xf32>) outs(%o : tensor<1x27x14x16xf32>) -> tensor<1x27x14x16xf32>
  return %r : tensor<1x27x14x16xf32>
}

// One channel comes out.
func.func @single(%i: tensor<1x16x9x7xf32>, %w: tensor<1x16x8x1xf32>) -> tensor<1x1x33x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x40x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x40x7xf32>) -> tensor<1x16x40x7xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 3, 0] [1, 16, 9, 7] [1, 1, 4, 1] : tensor<1x16x9x7xf32> into tensor<1x16x40x7xf32>
  %za = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x1x33x7xf32>
  %o = linalg.fill ins(%za : f32) outs(%e2 : tensor<1x1x33x7xf32>) -> tensor<1x1x33x7xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x16x40x7xf32>, tensor<1x16x8x1xf32>) outs(%o : tensor<1x1x33x7xf32>) -> tensor<1x1x33x7xf32>
  return %r : tensor<1x1x33x7xf32>
}

// All pixels lie beyond what is read.
func.func @beyond(%i: tensor<1x8x9x7xf32>, %w: tensor<8x8x2x2xf32>) -> tensor<1x8x10x14xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x60x15xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x60x15xf32>) -> tensor<1x8x60x15xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 30, 1] [1, 8, 9, 7] [1, 1, 2, 2] : tensor<1x8x9x7xf32> into tensor<1x8x60x15xf32>
  %za = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x8x10x14xf32>
  %o = linalg.fill ins(%za : f32) outs(%e2 : tensor<1x8x10x14xf32>) -> tensor<1x8x10x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x60x15xf32>, tensor<8x8x2x2xf32>) outs(%o : tensor<1x8x10x14xf32>) -> tensor<1x8x10x14xf32>
  return %r : tensor<1x8x10x14xf32>
}

// Steps along one dimension, more than there are taps; zeroes along the other, too; integers.
func.func @lines(%i: tensor<1x9x7x16xi8>, %w: tensor<3x2x16x8xi8>) -> tensor<1x9x36x8xi32> {
  %z = arith.constant 0 : i8
  %e = tensor.empty() : tensor<1x11x37x16xi8>
  %f = linalg.fill ins(%z : i8) outs(%e : tensor<1x11x37x16xi8>) -> tensor<1x11x37x16xi8>
  %a = tensor.insert_slice %i into %f[0, 1, 3, 0] [1, 9, 7, 16] [1, 1, 5, 1] : tensor<1x9x7x16xi8> into tensor<1x11x37x16xi8>
  %za = arith.constant 0 : i32
  %e2 = tensor.empty() : tensor<1x9x36x8xi32>
  %o = linalg.fill ins(%za : i32) outs(%e2 : tensor<1x9x36x8xi32>) -> tensor<1x9x36x8xi32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x11x37x16xi8>, tensor<3x2x16x8xi8>) outs(%o : tensor<1x9x36x8xi32>) -> tensor<1x9x36x8xi32>
  return %r : tensor<1x9x36x8xi32>
}

// Pixels that no output sees, and outputs that see none.
func.func @cut(%i: tensor<1x8x9x9xf32>, %w: tensor<8x8x6x2xf32>) -> tensor<1x8x10x25xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x26x30xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x26x30xf32>) -> tensor<1x8x26x30xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 0, 0] [1, 8, 9, 9] [1, 1, 3, 2] : tensor<1x8x9x9xf32> into tensor<1x8x26x30xf32>
  %za = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x8x10x25xf32>
  %o = linalg.fill ins(%za : f32) outs(%e2 : tensor<1x8x10x25xf32>) -> tensor<1x8x10x25xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x26x30xf32>, tensor<8x8x6x2xf32>) outs(%o : tensor<1x8x10x25xf32>) -> tensor<1x8x10x25xf32>
  return %r : tensor<1x8x10x25xf32>
}

// Sums of bf16 would be rounded elsewhere.
func.func @rounded(%i: tensor<1x8x9x7xbf16>, %w: tensor<8x8x3x3xbf16>, %o: tensor<1x8x18x14xbf16>) -> tensor<1x8x18x14xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1x8x20x16xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<1x8x20x16xbf16>) -> tensor<1x8x20x16xbf16>
  %a = tensor.insert_slice %i into %f[0, 0, 1, 1] [1, 8, 9, 7] [1, 1, 2, 2] : tensor<1x8x9x7xbf16> into tensor<1x8x20x16xbf16>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x8x20x16xbf16>, tensor<8x8x3x3xbf16>) outs(%o : tensor<1x8x18x14xbf16>) -> tensor<1x8x18x14xbf16>
  return %r : tensor<1x8x18x14xbf16>
}

// In groups, as StableHLO writes them, and the filter first.
#g0 = affine_map<(n, g, f, y, x, c, ky, kx) -> (g, f, c, ky, kx)>
#g1 = affine_map<(n, g, f, y, x, c, ky, kx) -> (n, g, c, y + ky, kx + x)>
#g2 = affine_map<(n, g, f, y, x, c, ky, kx) -> (n, g, f, y, x)>
func.func @groups(%i: tensor<2x3x8x9x7xf32>, %w: tensor<3x16x8x4x2xf32>) -> tensor<2x3x16x17x13xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x8x20x14xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x8x20x14xf32>) -> tensor<2x3x8x20x14xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 0, 1, 1] [2, 3, 8, 9, 7] [1, 1, 1, 2, 2] : tensor<2x3x8x9x7xf32> into tensor<2x3x8x20x14xf32>
  %e2 = tensor.empty() : tensor<2x3x16x17x13xf32>
  %o = linalg.fill ins(%z : f32) outs(%e2 : tensor<2x3x16x17x13xf32>) -> tensor<2x3x16x17x13xf32>
  %r = linalg.generic {indexing_maps = [#g0, #g1, #g2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%w, %a : tensor<3x16x8x4x2xf32>, tensor<2x3x8x20x14xf32>) outs(%o : tensor<2x3x16x17x13xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  } -> tensor<2x3x16x17x13xf32>
  return %r : tensor<2x3x16x17x13xf32>
}

// Each channel by itself has no channels of the filter alone.
func.func @depthwise(%i: tensor<1x8x9x7xf32>, %w: tensor<8x3x3xf32>) -> tensor<1x8x17x13xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x19x15xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x19x15xf32>) -> tensor<1x8x19x15xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 1, 1] [1, 8, 9, 7] [1, 1, 2, 2] : tensor<1x8x9x7xf32> into tensor<1x8x19x15xf32>
  %e2 = tensor.empty() : tensor<1x8x17x13xf32>
  %o = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x8x17x13xf32>) -> tensor<1x8x17x13xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%a, %w : tensor<1x8x19x15xf32>, tensor<8x3x3xf32>) outs(%o : tensor<1x8x17x13xf32>) -> tensor<1x8x17x13xf32>
  return %r : tensor<1x8x17x13xf32>
}

// The window moves by two places.
func.func @strided(%i: tensor<1x8x9x9xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x9x9xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x19x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x19x19xf32>) -> tensor<1x8x19x19xf32>
  %a = tensor.insert_slice %i into %f[0, 0, 1, 1] [1, 8, 9, 9] [1, 1, 2, 2] : tensor<1x8x9x9xf32> into tensor<1x8x19x19xf32>
  %e2 = tensor.empty() : tensor<1x8x9x9xf32>
  %o = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<1x8x19x19xf32>, tensor<8x8x3x3xf32>) outs(%o : tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  return %r : tensor<1x8x9x9xf32>
}
