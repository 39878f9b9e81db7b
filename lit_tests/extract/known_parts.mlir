// What front ends say of sizes and results that nobody needs is gone before tasks are looked for.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=rolled --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=largest --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=place --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

// torch.roll casts the parts that it joins to sizes that are known at run time only.
// CHECK-LABEL: func.func @rolled(
// CHECK-NOT: tensor.cast
// CHECK: return
func.func @rolled(%x: tensor<2x7x8xf32>) -> tensor<2x7x8xf32> {
  %end = tensor.extract_slice %x[0, 3, 0] [2, 4, 8] [1, 1, 1] : tensor<2x7x8xf32> to tensor<2x4x8xf32>
  %a = tensor.cast %end : tensor<2x4x8xf32> to tensor<2x?x8xf32>
  %begin = tensor.extract_slice %x[0, 0, 0] [2, 3, 8] [1, 1, 1] : tensor<2x7x8xf32> to tensor<2x3x8xf32>
  %b = tensor.cast %begin : tensor<2x3x8xf32> to tensor<2x?x8xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x7x8xf32>
  return %r : tensor<2x7x8xf32>
}

// The place of a maximum that nobody asks for.
#in = affine_map<(i, k) -> (i, k)>
#out = affine_map<(i, k) -> (i)>
// CHECK-LABEL: func.func @largest(
// CHECK: call @tune_task_{{.*}} -> tensor<32xf32>
func.func @largest(%x: tensor<32x64xf32>) -> tensor<32xf32> {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %ei = tensor.empty() : tensor<32xi64>
  %fi = linalg.fill ins(%none : i64) outs(%ei : tensor<32xi64>) -> tensor<32xi64>
  %r:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x64xf32>) outs(%f, %fi : tensor<32xf32>, tensor<32xi64>) {
  ^bb0(%v: f32, %m: f32, %p: i64):
    %k = linalg.index 1 : index
    %ki = arith.index_cast %k : index to i64
    %max = arith.maximumf %v, %m : f32
    %is = arith.cmpf ogt, %v, %m : f32
    %q = arith.select %is, %ki, %p : i64
    linalg.yield %max, %q : f32, i64
  } -> (tensor<32xf32>, tensor<32xi64>)
  return %r#0 : tensor<32xf32>
}

// The maximum that its place hangs on stays.
// CHECK-LABEL: func.func @place(
// CHECK: tensor<32xi64>
func.func @place(%x: tensor<32x64xf32>) -> tensor<32xi64> {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %ei = tensor.empty() : tensor<32xi64>
  %fi = linalg.fill ins(%none : i64) outs(%ei : tensor<32xi64>) -> tensor<32xi64>
  %r:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x64xf32>) outs(%f, %fi : tensor<32xf32>, tensor<32xi64>) {
  ^bb0(%v: f32, %m: f32, %p: i64):
    %k = linalg.index 1 : index
    %ki = arith.index_cast %k : index to i64
    %max = arith.maximumf %v, %m : f32
    %is = arith.cmpf ogt, %v, %m : f32
    %q = arith.select %is, %ki, %p : i64
    linalg.yield %max, %q : f32, i64
  } -> (tensor<32xf32>, tensor<32xi64>)
  return %r#1 : tensor<32xi64>
}
