// Convolutions with channels before pixels: on 16 registers those with windows and enough channels are brought into
// another layout by default, on 32 those alone for which Winograd's transforms pay then. The other form is a candidate either way, and both are right.
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3" 2>&1 | FileCheck %s --check-prefixes=ALL,FEW
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v4" 2>&1 | FileCheck %s --check-prefixes=ALL,MANY
// RUN: tune-run %s --function=windows --target=cpu:x86-64-v3 --strict --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=windows --target=cpu:x86-64-v3 --strict --db= --time=0.001 --config=layout=raw | FileCheck %s --check-prefix=OK
// OK: Check ok

// ALL: conv 24x10x11 over 20x5x5 f32
// FEW: rule 'contraction'
// FEW: layout graph output raw, output
// MANY: rule 'conv_blocked'
// MANY: layout graph raw raw, filled
func.func @windows(%i: tensor<1x20x14x15xf32>, %f: tensor<24x20x5x5xf32>) -> tensor<1x24x10x11xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x24x10x11xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x10x11xf32>) -> tensor<1x24x10x11xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%i, %f : tensor<1x20x14x15xf32>, tensor<24x20x5x5xf32>) outs(%o : tensor<1x24x10x11xf32>) -> tensor<1x24x10x11xf32>
  return %r : tensor<1x24x10x11xf32>
}

// ALL: conv 32x10x10 over 3x5x5 f32
// ALL: rule 'conv_blocked'
func.func @few_channels(%i: tensor<1x3x14x14xf32>, %f: tensor<32x3x5x5xf32>) -> tensor<1x32x10x10xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x10x10xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x10x10xf32>) -> tensor<1x32x10x10xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%i, %f : tensor<1x3x14x14xf32>, tensor<32x3x5x5xf32>) outs(%o : tensor<1x32x10x10xf32>) -> tensor<1x32x10x10xf32>
  return %r : tensor<1x32x10x10xf32>
}

// ALL: conv 32x12x12 over 16x3x3 f32
// ALL: rule 'winograd'
// ALL: layout graph output raw, output
// ALL: algorithm linalg winograd
func.func @three_by_three(%i: tensor<1x16x14x14xf32>, %f: tensor<32x16x3x3xf32>) -> tensor<1x32x12x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x12x12xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%i, %f : tensor<1x16x14x14xf32>, tensor<32x16x3x3xf32>) outs(%o : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  return %r : tensor<1x32x12x12xf32>
}

// The filter in another order is no other case.
// ALL: conv 32x12x12 over 16x3x3 f32
// ALL: rule 'winograd'
func.func @filter_turned(%i: tensor<1x16x14x14xf32>, %f: tensor<3x3x16x32xf32>) -> tensor<1x32x12x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x12x12xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, p, q) -> (n, c, h + p, w + q)>,
                                        affine_map<(n, f, h, w, c, p, q) -> (p, q, c, f)>,
                                        affine_map<(n, f, h, w, c, p, q) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%i, %f : tensor<1x16x14x14xf32>, tensor<3x3x16x32xf32>) outs(%o : tensor<1x32x12x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x32x12x12xf32>
  return %r : tensor<1x32x12x12xf32>
}

// Channels that two vectors do not divide: three or five of them where registers are few. Lines of 12 are turned by 4.
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3" 2>&1 | FileCheck %s --check-prefix=THREES
// RUN: tune-run %s --function=threes --target=cpu:x86-64-v3 --strict --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=fives --target=cpu:x86-64-v3 --strict --db= --time=0.001 | FileCheck %s --check-prefix=OK
// THREES: conv 24x12x12 over 24x3x3 f32
// THREES: rule 'winograd_nchw'
// THREES: winograd_block linalg 24 {{.*}} 8, 24
func.func @threes(%i: tensor<1x24x12x12xf32>, %f: tensor<24x24x3x3xf32>) -> tensor<1x24x12x12xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %i low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x24x12x12xf32> to tensor<1x24x14x14xf32>
  %e = tensor.empty() : tensor<1x24x12x12xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x12x12xf32>) -> tensor<1x24x12x12xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %f : tensor<1x24x14x14xf32>, tensor<24x24x3x3xf32>) outs(%o : tensor<1x24x12x12xf32>) -> tensor<1x24x12x12xf32>
  return %r : tensor<1x24x12x12xf32>
}

// THREES: conv 12x12x40 over 3x3x16 f32
// THREES: rule 'winograd'
// THREES: winograd_block linalg 40 {{.*}} 8, 40
func.func @fives(%i: tensor<1x14x14x16xf32>, %f: tensor<3x3x16x40xf32>) -> tensor<1x12x12x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x12x12x40xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x12x12x40xf32>) -> tensor<1x12x12x40xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%i, %f : tensor<1x14x14x16xf32>, tensor<3x3x16x40xf32>) outs(%o : tensor<1x12x12x40xf32>) -> tensor<1x12x12x40xf32>
  return %r : tensor<1x12x12x40xf32>
}

// Of a large image a block of channels comes to more than the second cache holds: register tiles are low.
// ALL: conv 32x28x28 over 32x3x3 f32 +pad
// MANY: rule 'winograd_nchw'
// MANY: {{^winograd_mr vector 1[0-9] }}
func.func @fits(%i: tensor<1x32x28x28xf32>, %f: tensor<32x32x3x3xf32> {tune.constant}) -> tensor<1x32x28x28xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %i low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x32x28x28xf32> to tensor<1x32x30x30xf32>
  %e = tensor.empty() : tensor<1x32x28x28xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %f : tensor<1x32x30x30xf32>, tensor<32x32x3x3xf32>) outs(%o : tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  return %r : tensor<1x32x28x28xf32>
}

// ALL: conv 32x320x320 over 32x3x3 f32 +pad
// MANY: rule 'winograd_nchw'
// MANY: {{^winograd_mr vector 8 }}
func.func @is_large(%i: tensor<1x32x320x320xf32>, %f: tensor<32x32x3x3xf32> {tune.constant}) -> tensor<1x32x320x320xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %i low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x32x320x320xf32> to tensor<1x32x322x322xf32>
  %e = tensor.empty() : tensor<1x32x320x320xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x320x320xf32>) -> tensor<1x32x320x320xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %f : tensor<1x32x322x322xf32>, tensor<32x32x3x3xf32>) outs(%o : tensor<1x32x320x320xf32>) -> tensor<1x32x320x320xf32>
  return %r : tensor<1x32x320x320xf32>
}
