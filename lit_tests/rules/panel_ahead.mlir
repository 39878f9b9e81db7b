// Of weights in panels, made ahead of all calls, the next panel is read while the present one is
// multiplied: each tile of rows reads a share of it. Not where the first cache holds them all, and not
// where panels are packed in each call.
// RUN: tune-opt %s --tune-print-space="target=null task=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: tune-opt %s --tune-print-space="target=null task=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// LARGE: panel_ahead {{ *}}buffer {{ *}}1 weights == ahead
// SMALL: panel_ahead {{ *}}buffer {{ *}}0 weights == ahead
// RUN: tune-run %s --function=large --target=cpu:x86-64-v3 --db= --emit=asm -o %t.s 2>/dev/null
// RUN: FileCheck %s --input-file=%t.s --check-prefix=ASM
// ASM: prefetcht1
// RUN: sed 's/{large}/{tune.choices = {panel_ahead = 0}}/' %s > %t.none.mlir
// RUN: tune-run %t.none.mlir --function=large --target=cpu:x86-64-v3 --db= --emit=asm -o %t.s 2>/dev/null
// RUN: FileCheck %s --input-file=%t.s --check-prefix=NONE
// RUN: sed 's/{large}/{tune.choices = {weights = "each_call"}}/' %s > %t.each.mlir
// RUN: tune-run %t.each.mlir --function=large --target=cpu:x86-64-v3 --db= --emit=asm -o %t.s 2>/dev/null
// RUN: FileCheck %s --input-file=%t.s --check-prefix=NONE
// NONE-NOT: prefetch
// Whatever the tiles: of one row, with several lines in a row of a panel, and of parts of the depth.
// RUN: tune-run %s --function=large --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{large}/{tune.choices = {mr = 1, nr = 32, kr = 1, panel_ahead = 1}}/' %s > %t.rows.mlir
// RUN: tune-run %t.rows.mlir --function=large --target=cpu:x86-64-v3 --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{large}/{tune.choices = {depth_split = "split", kc = 128, nr = 8, panel_ahead = 1}}/' %s > %t.depth.mlir
// RUN: tune-run %t.depth.mlir --function=large --target=cpu:x86-64-v3 --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=large --db= --strict --check --threads=2 --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
func.func @large(%a: tensor<37x256xf32>, %w: tensor<256x512xf32> {tune.constant}) -> tensor<37x512xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x512xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x512xf32>) -> tensor<37x512xf32>
  %2 = linalg.matmul {large} ins(%a, %w : tensor<37x256xf32>, tensor<256x512xf32>) outs(%1 : tensor<37x512xf32>) -> tensor<37x512xf32>
  return %2 : tensor<37x512xf32>
}
func.func @small(%a: tensor<37x64xf32>, %w: tensor<64x96xf32> {tune.constant}) -> tensor<37x96xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.matmul ins(%a, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  return %2 : tensor<37x96xf32>
}
