// Attention of bf16 and f16, as torch-mlir writes it: products whose factors are widened, softmax in
// f32, and a result that is rounded. It is one task, and its scores are never all there.
// RUN: tune-opt %s --tune-extract=all -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/bf16/f16/g' %s > %t.f16.mlir
// RUN: tune-opt %t.f16.mlir --tune-extract=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %t.f16.mlir --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// What widens is out of the loops: vectors of one type, and no element by itself.
// RUN: tune-run %s --function=main --target=cpu:znver4 --db= --emit=asm -o %t.s 2>/dev/null
// RUN: FileCheck %s --check-prefix=VECTORS --input-file=%t.s
// VECTORS: tune_task_
// VECTORS: vfmadd{{.*}}zmm
// VECTORS-NOT: vinsertps

// CHECK: attention 2x40x48x32

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%q: tensor<2x40x32xbf16>, %k: tensor<2x44x32xbf16>, %v: tensor<2x44x32xbf16>) -> tensor<2x40x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e_a = tensor.empty() : tensor<2x40x32xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x40x32xbf16>) outs(%e_a : tensor<2x40x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<2x40x32xf32>
  %e_b = tensor.empty() : tensor<2x44x32xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x44x32xbf16>) outs(%e_b : tensor<2x44x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<2x44x32xf32>
  %e_c = tensor.empty() : tensor<2x44x32xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v : tensor<2x44x32xbf16>) outs(%e_c : tensor<2x44x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<2x44x32xf32>
  %e_t = tensor.empty() : tensor<2x32x44xf32>
  %t = linalg.transpose ins(%b : tensor<2x44x32xf32>) outs(%e_t : tensor<2x32x44xf32>) permutation = [0, 2, 1]
  %e_s = tensor.empty() : tensor<2x40x44xf32>
  %f_s = linalg.fill ins(%zero : f32) outs(%e_s : tensor<2x40x44xf32>) -> tensor<2x40x44xf32>
  %s = linalg.batch_matmul ins(%a, %t : tensor<2x40x32xf32>, tensor<2x32x44xf32>) outs(%f_s : tensor<2x40x44xf32>) -> tensor<2x40x44xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<2x40x44xf32>) outs(%e_s : tensor<2x40x44xf32>) -> tensor<2x40x44xf32>
  %e_o = tensor.empty() : tensor<2x40x32xf32>
  %f_o = linalg.fill ins(%zero : f32) outs(%e_o : tensor<2x40x32xf32>) -> tensor<2x40x32xf32>
  %o = linalg.batch_matmul ins(%w, %c : tensor<2x40x44xf32>, tensor<2x44x32xf32>) outs(%f_o : tensor<2x40x32xf32>) -> tensor<2x40x32xf32>
  %e_r = tensor.empty() : tensor<2x40x32xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x40x32xf32>) outs(%e_r : tensor<2x40x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<2x40x32xbf16>
  return %r : tensor<2x40x32xbf16>
}
