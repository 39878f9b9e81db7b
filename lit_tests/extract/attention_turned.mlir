// The result of attention that einsum leaves with its rows innermost is made with its columns innermost, and
// turned then; all of it is one task.
// RUN: tune-opt --tune-extract=all %s 2>&1 | FileCheck %s
// CHECK: attention 2x64x64x32 f32
// CHECK: func.func private @tune_task_0
// CHECK: -> tensor<2x64x64xf32>
// CHECK: -> tensor<2x64x32xf32>
// CHECK: -> tensor<2x32x64xf32>
// CHECK-NOT: tune_task_1
// RUN: tune-run %s --db= --check --time=0.01 | FileCheck %s --check-prefix=RAN
// RAN: 1 task (by default)
// RAN: Check {{ *}}ok

// What it is added to is no fill: it stays.
// RUN: sed 's/outs(%filled/outs(%old/' %s > %t.mlir
// RUN: tune-opt --tune-extract=all %t.mlir 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: task 2: batch_matmul 2x64x32x64 f32; 1 op
// RUN: tune-run %t.mlir --db= --check --time=0.01 | FileCheck %s --check-prefix=OLD_RAN
// OLD_RAN: Check {{ *}}ok
#scores_q = affine_map<(b, q, k, c) -> (b, q, c)>
#scores_k = affine_map<(b, q, k, c) -> (b, k, c)>
#scores = affine_map<(b, q, k, c) -> (b, q, k)>
#value = affine_map<(b, d, q, k) -> (b, k, d)>
#weight = affine_map<(b, d, q, k) -> (b, q, k)>
#result = affine_map<(b, d, q, k) -> (b, d, q)>
func.func @main(%q: tensor<2x64x32xf32>, %k: tensor<2x64x32xf32>, %v: tensor<2x64x32xf32>, %old: tensor<2x32x64xf32>) -> tensor<2x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x64x64xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %s = linalg.generic {indexing_maps = [#scores_q, #scores_k, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x64x32xf32>, tensor<2x64x32xf32>) outs(%sf : tensor<2x64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x64x64xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x64x64xf32>) outs(%se : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %re = tensor.empty() : tensor<2x32x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%re : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  %r = linalg.generic {indexing_maps = [#value, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v, %p : tensor<2x64x32xf32>, tensor<2x64x64xf32>) outs(%filled : tensor<2x32x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x32x64xf32>
  return %r : tensor<2x32x64xf32>
}
