// Factors of f32 that may be f16: as those that may be bf16 (rounded_factors.mlir), but there are no dot products of them,
// so that what pays is that half as much is read.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-print-space="target=cpu:znver4 task=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: matmul 37x96x64 f32/f16
// TILES-NEXT: rule 'contraction' for
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3 task=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: matvec 1024x2048 f32/f16
// ROW-NEXT: rule 'general/f16'
// Where both are allowed it is bf16.
// RUN: sed 's/"f16"/"f16", "bf16"/' %s | tune-opt --tune-print-space="target=cpu:x86-64-v3 task=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: matvec 1024x2048 f32/f16/bf16
// BOTH-NEXT: rule 'general/bf16'

// All forms are right, and read f16.
// RUN: sed 's/{choose}/{tune.choices = {rule = "contraction\/f16"}}/' %s > %t.tiles.mlir
// RUN: tune-run %t.tiles.mlir --function=product --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{choose}/{tune.choices = {rule = "general\/f16"}}/' %s > %t.general.mlir
// RUN: tune-run %t.general.mlir --function=product --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=row --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=row --target=cpu:x86-64-v3 --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=row --target=cpu:x86-64-v2 --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=row --strict --check --db= --time=0.001 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=image --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok: {{.*}}factors in f16
// RUN: tune-run %s --function=row --target=cpu:x86-64-v3 --db= --emit=asm -o %t.s && FileCheck %s --input-file=%t.s --check-prefix=HALVES
// HALVES-LABEL: tune_task_{{[0-9]+}}:
// HALVES: vcvtph2ps
func.func @product(%a: tensor<37x64xf32>, %w: tensor<64x96xf32> {tune.constant}) -> tensor<37x96xf32> attributes {tune.allow = ["f16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.matmul {choose} ins(%a, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  return %2 : tensor<37x96xf32>
}
func.func @row(%a: tensor<1x2048xf32>, %w: tensor<2048x1024xf32> {tune.constant}) -> tensor<1x1024xf32> attributes {tune.allow = ["f16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x1024xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %2 = linalg.matmul ins(%a, %w : tensor<1x2048xf32>, tensor<2048x1024xf32>) outs(%1 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %2 : tensor<1x1024xf32>
}
func.func @image(%a: tensor<1x10x11x32xf32>, %w: tensor<3x3x32x48xf32> {tune.constant}) -> tensor<1x8x9x48xf32> attributes {tune.allow = ["f16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x8x9x48xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x8x9x48xf32>) -> tensor<1x8x9x48xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x10x11x32xf32>, tensor<3x3x32x48xf32>) outs(%1 : tensor<1x8x9x48xf32>) -> tensor<1x8x9x48xf32>
  return %2 : tensor<1x8x9x48xf32>
}

// Beside products in bf16 or bytes the check has room for what these round, in whatever order they are, and no inputs that
// are infinite as f16.
// RUN: tune-run %S/Inputs/f16_and_others.mlir --function=first --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=BF16
// RUN: tune-run %S/Inputs/f16_and_others.mlir --function=last --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=BF16
// RUN: tune-run %S/Inputs/f16_and_others.mlir --function=chain --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=BF16
// RUN: tune-run %S/Inputs/f16_and_others.mlir --function=bytes --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=BYTES
// BF16: Check {{ *}}ok: {{.*}}factors in bf16
// BYTES: Check {{ *}}ok: {{.*}}factors in int8
