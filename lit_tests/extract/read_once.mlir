// What a product reads once an element is computed where it is read: keys of a single query that are
// scaled and turned. Of several queries each would compute it again.
// RUN: tune-opt %s --tune-extract | FileCheck %s
// RUN: tune-run %s --function=one_query --db= --strict --time=0.01 | FileCheck %s --check-prefix=RAN
// RAN: Check {{.*}}ok

// CHECK-LABEL: func.func @one_query
// CHECK: call @[[ONE:tune_task_[0-9]+]](
// CHECK-NOT: call @
// CHECK: return
func.func @one_query(%q: tensor<12x64xf32>, %k: tensor<12x129x64xf32>) -> tensor<12x129xf32> {
  %c = arith.constant 0.125 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x64x129xf32>
  %turned = linalg.transpose ins(%k : tensor<12x129x64xf32>) outs(%e : tensor<12x64x129xf32>) permutation = [0, 2, 1]
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, d, n) -> (h, d, n)>, affine_map<(h, d, n) -> (h, d, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%turned : tensor<12x64x129xf32>) outs(%e : tensor<12x64x129xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %c : f32
    linalg.yield %m : f32
  } -> tensor<12x64x129xf32>
  %s = tensor.empty() : tensor<12x129xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<12x129xf32>) -> tensor<12x129xf32>
  %p = linalg.batch_vecmat ins(%q, %scaled : tensor<12x64xf32>, tensor<12x64x129xf32>) outs(%f : tensor<12x129xf32>) -> tensor<12x129xf32>
  return %p : tensor<12x129xf32>
}

// CHECK-LABEL: func.func @two_queries
// CHECK: call @tune_task_
// CHECK: call @tune_task_
// CHECK: return
func.func @two_queries(%q: tensor<12x2x64xf32>, %k: tensor<12x64x129xf32>) -> tensor<12x2x129xf32> {
  %c = arith.constant 0.125 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x64x129xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(h, d, n) -> (h, d, n)>, affine_map<(h, d, n) -> (h, d, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : tensor<12x64x129xf32>) outs(%e : tensor<12x64x129xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %c : f32
    linalg.yield %m : f32
  } -> tensor<12x64x129xf32>
  %s = tensor.empty() : tensor<12x2x129xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<12x2x129xf32>) -> tensor<12x2x129xf32>
  %p = linalg.batch_matmul ins(%q, %scaled : tensor<12x2x64xf32>, tensor<12x64x129xf32>) outs(%f : tensor<12x2x129xf32>) -> tensor<12x2x129xf32>
  return %p : tensor<12x2x129xf32>
}
