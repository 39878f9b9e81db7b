// Factors of f32 that may be bf16: rounded ahead of the product, once, and multiplied by dot products
// where the CPU has them. That is a form of a rule, and the first where it is the best guess.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-print-space="target=cpu:znver4 task=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DOT
// DOT: matmul 37x96x64 f32/bf16
// DOT-NEXT: rule 'dot_contraction/bf16'
// DOT: weights_ahead
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3 task=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NODOT
// NODOT: matmul 37x96x64 f32/bf16
// NODOT-NEXT: rule 'contraction' for
// Winograd's transforms multiply less than half as many.
// RUN: tune-opt %s --tune-print-space="target=cpu:znver4 task=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=IMAGE
// IMAGE: rule 'winograd' for
// A row reads each weight once: half as many bytes, on any CPU, where they are constant and many.
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3 task=4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: matvec 1024x2048 f32/bf16
// ROW-NEXT: rule '{{reduction|general}}/bf16'
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3 task=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: rule '{{reduction|general}}' for

// All forms are there by name, and are right; none is without the word.
// RUN: sed 's/{choose}/{tune.choices = {rule = "none"}}/' %s > %t.none.mlir
// RUN: not tune-run %t.none.mlir --function=product --target=cpu:znver4 --emit=asm -o %t.s --db= 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: no rule "none" takes this task; those that do are dot_contraction/bf16, contraction, {{.*}}contraction/bf16, {{.*}}general/bf16
// RUN: sed 's/{choose}/{tune.choices = {rule = "contraction\/bf16"}}/' %s > %t.wide.mlir
// RUN: tune-run %t.wide.mlir --function=product --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{choose}/{tune.choices = {rule = "general\/bf16"}}/' %s > %t.general.mlir
// RUN: tune-run %t.general.mlir --function=product --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{choose}/{tune.choices = {rule = "contraction\/bf16"}}/; s/tune.allow = \["bf16"\]/tune.allow = []/' %s > %t.not.mlir
// RUN: not tune-run %t.not.mlir --function=product --db= --time=0.001 2>&1 | FileCheck %s --check-prefix=NOT
// NOT: no rule "contraction/bf16" takes this task; those that do are {{[^/]*$}}
// RUN: tune-run %s --function=product --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=product --strict --check --db= --time=0.001 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=product --target=cpu:x86-64-v3 --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=image --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=padded --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=row --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok: {{.*}}factors in bf16

// What is rounded in the body of a product is rounded ahead of it, allowed or not; that much is exact.
// RUN: tune-opt %s --tune-print-space="target=cpu:znver4 task=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: rule 'dot_contraction' for
// RUN: tune-run %s --function=mixed --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=SAME
// SAME: Check {{ *}}ok
// SAME-NOT: factors in

// What is rounded otherwise than to the nearest stays in the body, and a number is no tensor.
// RUN: tune-run %s --function=toward_zero --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=SAME
// RUN: tune-run %s --function=number --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=SAME

// Rounded constants are made ahead of the calls. What is left is the row's rounding.
// RUN: tune-run %s --function=row --target=cpu:x86-64-v3 --db= --emit=llvm -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=AHEAD
// AHEAD-LABEL: define {{.*}}@tune_prepack(
// AHEAD: store <16 x i16>
// AHEAD-LABEL: define {{.*}}@tune_task_0(
// AHEAD-COUNT-1: store <16 x i16>
// AHEAD-NOT: store <{{[0-9]+}} x i16>

// What is exported, stock mlir-opt can replay: it has none of these forms.
// RUN: tune-opt %s --tune-export-schedule -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o /dev/null
// RUN: FileCheck %s --input-file=%t.script.mlir --check-prefix=STOCK
// STOCK-NOT: tune-round-factors

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @product(%a: tensor<37x64xf32>, %w: tensor<64x96xf32> {tune.constant}) -> tensor<37x96xf32> attributes {tune.allow = ["bf16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.matmul {choose} ins(%a, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) -> tensor<37x96xf32>
  return %2 : tensor<37x96xf32>
}
func.func @mixed(%a: tensor<37x64xf32>, %w: tensor<64x96xf32>) -> tensor<37x96xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x96xf32>) -> tensor<37x96xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<37x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<37x96xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.truncf %x : f32 to bf16
    %s = arith.truncf %y : f32 to bf16
    %u = arith.extf %r : bf16 to f32
    %v = arith.extf %s : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<37x96xf32>
  return %2 : tensor<37x96xf32>
}
func.func @image(%a: tensor<1x58x58x64xf32>, %w: tensor<3x3x64x64xf32> {tune.constant}) -> tensor<1x56x56x64xf32> attributes {tune.allow = ["bf16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x56x56x64xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) outs(%1 : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  return %2 : tensor<1x56x56x64xf32>
}
func.func @padded(%a: tensor<1x8x9x32xf32>, %w: tensor<3x3x32x48xf32> {tune.constant}) -> tensor<1x8x9x48xf32> attributes {tune.allow = ["bf16"]} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x9x32xf32> to tensor<1x10x11x32xf32>
  %0 = tensor.empty() : tensor<1x8x9x48xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x8x9x48xf32>) -> tensor<1x8x9x48xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x10x11x32xf32>, tensor<3x3x32x48xf32>) outs(%1 : tensor<1x8x9x48xf32>) -> tensor<1x8x9x48xf32>
  return %2 : tensor<1x8x9x48xf32>
}
func.func @row(%a: tensor<1x2048xf32>, %w: tensor<2048x1024xf32> {tune.constant}) -> tensor<1x1024xf32> attributes {tune.allow = ["bf16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x1024xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %2 = linalg.matmul ins(%a, %w : tensor<1x2048xf32>, tensor<2048x1024xf32>) outs(%1 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %2 : tensor<1x1024xf32>
}
func.func @other_row(%a: tensor<1x2048xf32>, %w: tensor<2048x1024xf32>) -> tensor<1x1024xf32> attributes {tune.allow = ["bf16"]} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x1024xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %2 = linalg.matmul ins(%a, %w : tensor<1x2048xf32>, tensor<2048x1024xf32>) outs(%1 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %2 : tensor<1x1024xf32>
}
func.func @toward_zero(%a: tensor<37x64xf32>, %w: tensor<64x48xf32>) -> tensor<37x48xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x48xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x48xf32>) -> tensor<37x48xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<37x64xf32>, tensor<64x48xf32>) outs(%1 : tensor<37x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.truncf %x toward_zero : f32 to bf16
    %s = arith.truncf %y toward_zero : f32 to bf16
    %u = arith.extf %r : bf16 to f32
    %v = arith.extf %s : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<37x48xf32>
  return %2 : tensor<37x48xf32>
}
func.func @number(%a: tensor<37x64xf32>, %s: f32) -> tensor<37x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<37x8xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<37x8xf32>) -> tensor<37x8xf32>
  %2 = linalg.generic {indexing_maps = [#rows, affine_map<(d0, d1, d2) -> ()>, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %s : tensor<37x64xf32>, f32) outs(%1 : tensor<37x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<37x8xf32>
  return %2 : tensor<37x8xf32>
}
