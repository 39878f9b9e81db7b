// Heads of a group have one set of keys and values. A product of one row reads what is not repeated,
// scaled and turned as it would be: its heads are rows of one product. With many rows what repeats
// stays: the product has more to do.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=one_row --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=one_row --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=heads_first --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=many_rows --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=read_twice --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#group = affine_map<(g, h, k, d) -> (g, k, d)>
#all = affine_map<(g, h, k, d) -> (g, h, k, d)>
#last = affine_map<(h, g, k, d) -> (g, k, d)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: 16x33x24
// CHECK: call @tune_task_{{.*}} : (tensor<4x33x24xf32>, {{.*}} -> tensor<4x33x24xf32>
// CHECK-NOT: 16x33x24
// CHECK: return
func.func @one_row(%q: tensor<16x1x24xf32>, %k: tensor<4x33x24xf32>) -> tensor<16x1x33xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.5 : f32
  %e0 = tensor.empty() : tensor<4x4x33x24xf32>
  %0 = linalg.generic {indexing_maps = [#group, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<4x33x24xf32>) outs(%e0 : tensor<4x4x33x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4x33x24xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2], [3]] : tensor<4x4x33x24xf32> into tensor<16x33x24xf32>
  %e1 = tensor.empty() : tensor<16x24x33xf32>
  %2 = linalg.transpose ins(%1 : tensor<16x33x24xf32>) outs(%e1 : tensor<16x24x33xf32>) permutation = [0, 2, 1]
  %3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%2 : tensor<16x24x33xf32>) outs(%e1 : tensor<16x24x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %scale : f32
    linalg.yield %m : f32
  } -> tensor<16x24x33xf32>
  %e2 = tensor.empty() : tensor<16x1x33xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x1x33xf32>) -> tensor<16x1x33xf32>
  %5 = linalg.batch_matmul ins(%q, %3 : tensor<16x1x24xf32>, tensor<16x24x33xf32>) outs(%4 : tensor<16x1x33xf32>) -> tensor<16x1x33xf32>
  return %5 : tensor<16x1x33xf32>
}

// What repeats comes before the groups, and nothing else is done.
// CHECK-LABEL: func.func @heads_first(
// CHECK-NOT: 16x33x24
// CHECK: return
func.func @heads_first(%w: tensor<16x1x33xf32>, %v: tensor<4x33x24xf32>) -> tensor<16x1x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4x33x24xf32>
  %0 = linalg.generic {indexing_maps = [#last, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<4x33x24xf32>) outs(%e0 : tensor<4x4x33x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4x33x24xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2], [3]] : tensor<4x4x33x24xf32> into tensor<16x33x24xf32>
  %e2 = tensor.empty() : tensor<16x1x24xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x1x24xf32>) -> tensor<16x1x24xf32>
  %5 = linalg.batch_matmul ins(%w, %1 : tensor<16x1x33xf32>, tensor<16x33x24xf32>) outs(%4 : tensor<16x1x24xf32>) -> tensor<16x1x24xf32>
  return %5 : tensor<16x1x24xf32>
}

// CHECK-LABEL: func.func @many_rows(
// CHECK: tensor<4x4x33x24xf32> into tensor<16x33x24xf32>
// CHECK: return
func.func @many_rows(%w: tensor<16x64x33xf32>, %v: tensor<4x33x24xf32>) -> tensor<16x64x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4x33x24xf32>
  %0 = linalg.generic {indexing_maps = [#group, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<4x33x24xf32>) outs(%e0 : tensor<4x4x33x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4x33x24xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2], [3]] : tensor<4x4x33x24xf32> into tensor<16x33x24xf32>
  %e2 = tensor.empty() : tensor<16x64x24xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x64x24xf32>) -> tensor<16x64x24xf32>
  %5 = linalg.batch_matmul ins(%w, %1 : tensor<16x64x33xf32>, tensor<16x33x24xf32>) outs(%4 : tensor<16x64x24xf32>) -> tensor<16x64x24xf32>
  return %5 : tensor<16x64x24xf32>
}

// Somebody else reads what is repeated: it has to be in memory anyway.
// CHECK-LABEL: func.func @read_twice(
// CHECK: tensor<4x4x33x24xf32> into tensor<16x33x24xf32>
// CHECK: return
func.func @read_twice(%w: tensor<16x1x33xf32>, %v: tensor<4x33x24xf32>) -> (tensor<16x1x24xf32>, tensor<16x33x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4x33x24xf32>
  %0 = linalg.generic {indexing_maps = [#group, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<4x33x24xf32>) outs(%e0 : tensor<4x4x33x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4x33x24xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2], [3]] : tensor<4x4x33x24xf32> into tensor<16x33x24xf32>
  %e2 = tensor.empty() : tensor<16x1x24xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x1x24xf32>) -> tensor<16x1x24xf32>
  %5 = linalg.batch_matmul ins(%w, %1 : tensor<16x1x33xf32>, tensor<16x33x24xf32>) outs(%4 : tensor<16x1x24xf32>) -> tensor<16x1x24xf32>
  return %5, %1 : tensor<16x1x24xf32>, tensor<16x33x24xf32>
}
