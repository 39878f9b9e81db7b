// Panels of constant weights that a schedule makes one after the other, in its loops, are made ahead of
// all calls. Columns that fill no panel have a shorter one beside the loop.
// REQUIRES: nightly || !asan
// RUN: tune-run %s --function=main --target=cpu:znver4 --db= --emit=llvm -o %t.ll 2>/dev/null
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=AHEAD
// AHEAD-LABEL: define {{.*}}@tune_prepack(
// AHEAD: shufflevector <16 x bfloat>
// AHEAD-LABEL: define {{.*}}@tune_task_0(
// AHEAD-NOT: shufflevector <16 x bfloat>
// AHEAD: {{call .*}} @llvm.x86.avx512bf16.dpbf16ps
// AHEAD-NOT: shufflevector <16 x bfloat>
// AHEAD-LABEL: define {{.*}}@tune_task_1(
// AHEAD-NOT: shufflevector <16 x bfloat>
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefixes=OK,PACKED
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 --threads=2 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// PACKED: Packed ahead
// Whatever the tiles, and with loops of lines and outer tiles around them; of bytes, for which all CPUs
// that run this have dot products.
// RUN: sed 's/bf16/i8/g; s/0[.]0 : f32/0 : i32/; s/zero : f32/zero : i32/; s/xf32/xi32/g' %s > %t.bytes.mlir
// RUN: sed 's/{choose}/{tune.choices = {mc = 32, nr = 16, mr = 5}}/' %t.bytes.mlir > %t.tiles.mlir
// RUN: tune-run %t.tiles.mlir --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{choose}/{tune.choices = {weights_ahead = 0}}/' %t.bytes.mlir > %t.each.mlir
// RUN: tune-run %t.each.mlir --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// Blocks of filters in NCHW, and panels of products of patches.
// RUN: tune-run %s --function=blocked --strict --check --db= --time=0.001 | FileCheck %s --check-prefixes=OK,PACKED
// RUN: tune-run %s --function=blocked --target=cpu:x86-64-v3 --strict --check --db= --time=0.001 | FileCheck %s --check-prefixes=OK,PACKED
// RUN: sed 's/{patches}/{tune.choices = {rule = "im2col"}}/' %s > %t.patches.mlir
// RUN: tune-run %t.patches.mlir --function=patches --strict --check --db= --time=0.001 | FileCheck %s --check-prefixes=OK,PACKED
// Weights whose lines are the columns are turned as they are packed, ahead too: of depths that fill no
// block of 32 elements, where masks are constants, and of columns that fill no vector.
// RUN: sh %S/Inputs/turned_sizes.sh %s %t
// TURNED-LABEL: define {{.*}}@tune_prepack(
// TURNED: <i32 0, i32 16
// TURNED-LABEL: define {{.*}}@tune_task_0(
// TURNED-NOT: <i32 0, i32 16
// TURNED: {{call .*(dpbf16ps|vpdpbusd)}}
// TURNED-NOT: <i32 0, i32 16
// TURNED: ret
// Without a constant there is no such knob, and nothing moves.
// RUN: sed 's/ {tune.constant}//g' %s > %t.given.mlir
// RUN: tune-opt %t.given.mlir --tune-print-space="target=cpu:znver4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: weights_ahead
func.func @main(%a: tensor<64x200xbf16>, %w: tensor<200x133xbf16> {tune.constant}, %i: tensor<1x9x9x32xbf16>, %f: tensor<3x3x32x40xbf16> {tune.constant}) -> (tensor<64x133xf32>, tensor<1x7x7x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x133xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64x133xf32>) -> tensor<64x133xf32>
  %2 = linalg.matmul {choose} ins(%a, %w : tensor<64x200xbf16>, tensor<200x133xbf16>) outs(%1 : tensor<64x133xf32>) -> tensor<64x133xf32>
  %3 = tensor.empty() : tensor<1x7x7x40xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<1x7x7x40xf32>) -> tensor<1x7x7x40xf32>
  %5 = linalg.conv_2d_nhwc_hwcf ins(%i, %f : tensor<1x9x9x32xbf16>, tensor<3x3x32x40xbf16>) outs(%4 : tensor<1x7x7x40xf32>) -> tensor<1x7x7x40xf32>
  return %2, %5 : tensor<64x133xf32>, tensor<1x7x7x40xf32>
}
func.func @blocked(%i: tensor<1x24x9x9xf32>, %f: tensor<48x24x3x3xf32> {tune.constant}) -> tensor<1x48x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x48x7x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x48x7x7xf32>) -> tensor<1x48x7x7xf32>
  %2 = linalg.conv_2d_nchw_fchw ins(%i, %f : tensor<1x24x9x9xf32>, tensor<48x24x3x3xf32>) outs(%1 : tensor<1x48x7x7xf32>) -> tensor<1x48x7x7xf32>
  return %2 : tensor<1x48x7x7xf32>
}
func.func @patches(%i: tensor<1x9x9x32xf32>, %f: tensor<3x3x32x36xf32> {tune.constant}) -> tensor<1x7x7x36xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x7x7x36xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x7x7x36xf32>) -> tensor<1x7x7x36xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {patches} ins(%i, %f : tensor<1x9x9x32xf32>, tensor<3x3x32x36xf32>) outs(%1 : tensor<1x7x7x36xf32>) -> tensor<1x7x7x36xf32>
  return %2 : tensor<1x7x7x36xf32>
}
