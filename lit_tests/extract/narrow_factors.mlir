// A product of f32 whose factors were widened is one of what they were, behind reshapes and
// transpositions, too; not where one factor alone was, or where they differ.
// RUN: tune-opt %s --tune-extract=all -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/bf16/f16/g' %s | tune-opt --tune-extract=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=batches --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

// CHECK: task {{[0-9]}}: matmul 16x48x64 bf16->f32 +transpose
// CHECK: task {{[0-9]}}: matmul 16x48x64 f32;
// CHECK: task {{[0-9]}}: batch_matmul 4x16x48x8 bf16->f32
// HALF: task {{[0-9]}}: matmul 16x48x64 f16->f32 +transpose
// HALF: task {{[0-9]}}: matmul 16x48x64 f32;
// HALF: task {{[0-9]}}: batch_matmul 4x16x48x8 f16->f32

#id = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%x: tensor<2x8x64xbf16>, %w: tensor<48x64xbf16>, %v: tensor<64x48xf32>) -> (tensor<16x48xf32>, tensor<16x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<2x8x64xf32>
  %a3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x8x64xbf16>) outs(%e3 : tensor<2x8x64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<2x8x64xf32>
  %a = tensor.collapse_shape %a3 [[0, 1], [2]] : tensor<2x8x64xf32> into tensor<16x64xf32>
  %e = tensor.empty() : tensor<48x64xf32>
  %b0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<48x64xbf16>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<48x64xf32>
  %t = tensor.empty() : tensor<64x48xf32>
  %b = linalg.transpose ins(%b0 : tensor<48x64xf32>) outs(%t : tensor<64x48xf32>) permutation = [1, 0]
  %c = tensor.empty() : tensor<16x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<16x48xf32>) -> tensor<16x48xf32>
  %both = linalg.matmul ins(%a, %b : tensor<16x64xf32>, tensor<64x48xf32>) outs(%f : tensor<16x48xf32>) -> tensor<16x48xf32>
  %one = linalg.matmul ins(%a, %v : tensor<16x64xf32>, tensor<64x48xf32>) outs(%f : tensor<16x48xf32>) -> tensor<16x48xf32>
  return %both, %one : tensor<16x48xf32>, tensor<16x48xf32>
}

// One factor is narrow already, in the body.
func.func @batches(%x: tensor<4x16x8xbf16>, %y: tensor<4x8x48xbf16>) -> tensor<4x16x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16x8xf32>
  %a = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x16x8xbf16>) outs(%e : tensor<4x16x8xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x16x8xf32>
  %c = tensor.empty() : tensor<4x16x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
  %p = linalg.batch_matmul ins(%a, %y : tensor<4x16x8xf32>, tensor<4x8x48xbf16>) outs(%f : tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
  return %p : tensor<4x16x48xf32>
}
