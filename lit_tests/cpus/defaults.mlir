// What rules make of 16 registers of 256 bits, and of 32 of 512.
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v3 -o /dev/null 2>&1 | FileCheck %s
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDE

// Columns that single vectors alone divide are padded to pairs, if there are enough of them.
// CHECK-LABEL: matmul 130x1016x120 f32
// CHECK: nr vector 16 {{.*}}16, 32
// CHECK-NOT: panels
func.func @columns(%a: tensor<130x120xf32>, %b: tensor<120x1016xf32>, %c: tensor<130x1016xf32>) -> tensor<130x1016xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<130x120xf32>, tensor<120x1016xf32>) outs(%c : tensor<130x1016xf32>) -> tensor<130x1016xf32>
  return %r : tensor<130x1016xf32>
}

// CHECK-LABEL: matmul 131x24x2048 f32
// CHECK: nr vector 24 {{.*}}8, 24{{$}}
// Vectors of 512 bits: tiles of single ones are tall enough.
// WIDE-LABEL: matmul 131x24x2048 f32
func.func @few_columns(%a: tensor<131x2048xf32>, %b: tensor<2048x24xf32>, %c: tensor<131x24xf32>) -> tensor<131x24xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<131x2048xf32>, tensor<2048x24xf32>) outs(%c : tensor<131x24xf32>) -> tensor<131x24xf32>
  return %r : tensor<131x24xf32>
}

// CHECK-LABEL: matmul 132x1008x128 f32
// WIDE-LABEL: matmul 132x1008x128 f32
// WIDE: nr vector 16 {{.*}}16, 48{{$}}
func.func @wide_columns(%a: tensor<132x128xf32>, %b: tensor<128x1008xf32>, %c: tensor<132x1008xf32>) -> tensor<132x1008xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<132x128xf32>, tensor<128x1008xf32>) outs(%c : tensor<132x1008xf32>) -> tensor<132x1008xf32>
  return %r : tensor<132x1008xf32>
}

// Pieces of one line of a cache are read where they lie for few rows only.
// CHECK-LABEL: matmul 32x1024x1024 f32
// CHECK: panels linalg packed {{.*}}packed, in_place
// WIDE-LABEL: matmul 32x1024x1024 f32
// WIDE: panels linalg in_place {{.*}}packed, in_place
func.func @some_rows(%a: tensor<32x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<32x1024xf32>, tensor<1024x1024xf32>) outs(%c : tensor<32x1024xf32>) -> tensor<32x1024xf32>
  return %r : tensor<32x1024xf32>
}

// CHECK-LABEL: matmul 16x1024x1024 f32
// CHECK: panels linalg in_place {{.*}}packed, in_place
func.func @few_rows(%a: tensor<16x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<16x1024xf32>) -> tensor<16x1024xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x1024xf32>, tensor<1024x1024xf32>) outs(%c : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  return %r : tensor<16x1024xf32>
}

// Lines that are whole vectors have Winograd's algorithm, too; it is the default where that pays.
// CHECK-LABEL: conv 32x56x56 over 32x3x3 f32
// Its tiles are pairs of vectors where there are 16 registers, and single ones of 32.
// CHECK: rule 'winograd_nchw'
// CHECK: algorithm linalg winograd {{.*}}direct, winograd
// CHECK: winograd_block linalg 16
// CHECK: winograd_mr vector 6
// CHECK: winograd_nr vector 16
// WIDE-LABEL: conv 32x56x56 over 32x3x3 f32
// WIDE: algorithm linalg winograd {{.*}}direct, winograd
// WIDE: winograd_nr vector 16
func.func @lines(%x: tensor<1x32x56x56xf32>, %w: tensor<32x32x3x3xf32>) -> tensor<1x32x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x56x56xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x32x56x56xf32> to tensor<1x32x58x58xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x32x58x58xf32>, tensor<32x32x3x3xf32>) outs(%o : tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32>
  return %r : tensor<1x32x56x56xf32>
}

// It does not for a single tile, whose filters take longer to transform than the rest, nor for few channels
// of few tiles.
// CHECK-LABEL: conv 4x4x256 over 3x3x256 f32
// CHECK: algorithm linalg direct {{.*}}direct, winograd
// WIDE-LABEL: conv 4x4x256 over 3x3x256 f32
// WIDE: algorithm linalg direct {{.*}}direct, winograd
func.func @one_tile(%x: tensor<1x6x6x256xf32>, %w: tensor<3x3x256x256xf32>) -> tensor<1x4x4x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x256xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x256xf32>) -> tensor<1x4x4x256xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x6x6x256xf32>, tensor<3x3x256x256xf32>) outs(%o : tensor<1x4x4x256xf32>) -> tensor<1x4x4x256xf32>
  return %r : tensor<1x4x4x256xf32>
}

// CHECK-LABEL: conv 7x7x16 over 3x3x16 f32
// CHECK: algorithm linalg direct {{.*}}direct, winograd
// WIDE-LABEL: conv 7x7x16 over 3x3x16 f32
// WIDE: algorithm linalg direct {{.*}}direct, winograd
func.func @few_channels(%x: tensor<1x9x9x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<1x7x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x7x16xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x9x16xf32>, tensor<3x3x16x16xf32>) outs(%o : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  return %r : tensor<1x7x7x16xf32>
}

// CHECK-LABEL: conv 8x8x128 over 3x3x128 f32
// CHECK: algorithm linalg winograd {{.*}}direct, winograd
// WIDE-LABEL: conv 8x8x128 over 3x3x128 f32
// WIDE: algorithm linalg winograd {{.*}}direct, winograd
func.func @some_tiles(%x: tensor<1x10x10x128xf32>, %w: tensor<3x3x128x128xf32>) -> tensor<1x8x8x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x128xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x128xf32>) -> tensor<1x8x8x128xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x10x10x128xf32>, tensor<3x3x128x128xf32>) outs(%o : tensor<1x8x8x128xf32>) -> tensor<1x8x8x128xf32>
  return %r : tensor<1x8x8x128xf32>
}

// Tiles of planes: 3 x 3 where borders allow no smaller ones. Pixels that share sets of the first cache are
// copied.
// CHECK-LABEL: conv 112x112x40 over 3x3 f32
// CHECK: tile_shape linalg planes {{.*}}rows, planes
// CHECK: plane_lines vector 3 
func.func @planes(%x: tensor<1x112x112x40xf32>, %w: tensor<3x3x40xf32>) -> tensor<1x112x112x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x112x112x40xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<1x112x112x40xf32>) -> tensor<1x112x112x40xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x112x112x40xf32> to tensor<1x114x114x40xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %w : tensor<1x114x114x40xf32>, tensor<3x3x40xf32>) outs(%o : tensor<1x112x112x40xf32>) -> tensor<1x112x112x40xf32>
  return %r : tensor<1x112x112x40xf32>
}

// CHECK-LABEL: conv 14x14x1024 over 3x3 f32
// CHECK: tile_shape linalg rows {{.*}}rows, planes
func.func @crowded(%x: tensor<1x14x14x1024xf32>, %w: tensor<3x3x1024xf32>) -> tensor<1x14x14x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x14x14x1024xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<1x14x14x1024xf32>) -> tensor<1x14x14x1024xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x14x14x1024xf32> to tensor<1x16x16x1024xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %w : tensor<1x16x16x1024xf32>, tensor<3x3x1024xf32>) outs(%o : tensor<1x14x14x1024xf32>) -> tensor<1x14x14x1024xf32>
  return %r : tensor<1x14x14x1024xf32>
}

// Every second pixel of a line is read where it lies, if products are few and lines fill vectors; else the
// image is brought into another layout.
// CHECK-LABEL: conv 64x28x28 over 3x3 f32
// CHECK: rule 'general'
// WIDE-LABEL: conv 64x28x28 over 3x3 f32
// WIDE: rule 'general'
func.func @second_pixels(%x: tensor<64x57x57xf32>, %w: tensor<64x3x3xf32>) -> tensor<64x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x28x28xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x28x28xf32>) -> tensor<64x28x28xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, y, x, p, q) -> (c, y * 2 + p, x * 2 + q)>, affine_map<(c, y, x, p, q) -> (c, p, q)>, affine_map<(c, y, x, p, q) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<64x57x57xf32>, tensor<64x3x3xf32>) outs(%f : tensor<64x28x28xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  } -> tensor<64x28x28xf32>
  return %r : tensor<64x28x28xf32>
}

// CHECK-LABEL: conv 64x28x28 over 5x5 f32
// CHECK: rule 'depthwise'
// WIDE-LABEL: conv 64x28x28 over 5x5 f32
// WIDE: rule 'depthwise'
func.func @many_products(%x: tensor<64x59x59xf32>, %w: tensor<64x5x5xf32>) -> tensor<64x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x28x28xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x28x28xf32>) -> tensor<64x28x28xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, y, x, p, q) -> (c, y * 2 + p, x * 2 + q)>, affine_map<(c, y, x, p, q) -> (c, p, q)>, affine_map<(c, y, x, p, q) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<64x59x59xf32>, tensor<64x5x5xf32>) outs(%f : tensor<64x28x28xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  } -> tensor<64x28x28xf32>
  return %r : tensor<64x28x28xf32>
}

// CHECK-LABEL: conv 64x7x7 over 3x3 f32
// CHECK: rule 'general'
// WIDE-LABEL: conv 64x7x7 over 3x3 f32
// WIDE: rule 'depthwise'
func.func @short_lines(%x: tensor<64x15x15xf32>, %w: tensor<64x3x3xf32>) -> tensor<64x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x7x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x7x7xf32>) -> tensor<64x7x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, y, x, p, q) -> (c, y * 2 + p, x * 2 + q)>, affine_map<(c, y, x, p, q) -> (c, p, q)>, affine_map<(c, y, x, p, q) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<64x15x15xf32>, tensor<64x3x3xf32>) outs(%f : tensor<64x7x7xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  } -> tensor<64x7x7xf32>
  return %r : tensor<64x7x7xf32>
}

// What is turned past the caches is read in longer pieces.
// CHECK-LABEL: transpose 2048x2048 f32
// CHECK: row_block linalg 128
// CHECK: column_block linalg 16
func.func @turned(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %e = tensor.empty() : tensor<2048x2048xf32>
  %r = linalg.transpose ins(%x : tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) permutation = [1, 0]
  return %r : tensor<2048x2048xf32>
}
