// Each piece of work becomes a private function with its key; the caller allocates what it writes.
// RUN: tune-opt %s --tune-extract=none --split-input-file | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --split-input-file --pass-pipeline='builtin.module(tune-extract{none})' | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// A linear layer as torch writes it: transposed weight, bias, relu. All of it is one task; the second
// layer is of the same structure and calls the same function.
// CHECK-LABEL: func.func @linear
// CHECK:         %[[E1:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK:         %[[L1:.*]] = call @tune_task_0(%arg0, %arg1, %arg3, %[[E1]])
// CHECK-NEXT:    %[[E2:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK-NEXT:    %[[L2:.*]] = call @tune_task_0(%[[L1]], %arg2, %arg3, %[[E2]])
// CHECK-NEXT:    return %[[L2]]
// CHECK-LABEL: func.func private @tune_task_0
// CHECK-SAME:    tune.task = "{{[0-9a-f]+}}"
// CHECK:         linalg.fill
// CHECK-COUNT-1: {tune.anchor}
// CHECK-NOT:     func.func
func.func @linear(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<16x16xf32>
  %wt = linalg.transpose ins(%w : tensor<16x16xf32>) outs(%we : tensor<16x16xf32>) permutation = [1, 0]
  %vt = linalg.transpose ins(%v : tensor<16x16xf32>) outs(%we : tensor<16x16xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %m1 = linalg.matmul ins(%x, %wt : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m1, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      %t = arith.maximumf %s, %zero : f32
      linalg.yield %t : f32
  } -> tensor<8x16xf32>
  %m2 = linalg.matmul ins(%r1, %vt : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r2 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m2, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      %t = arith.maximumf %s, %zero : f32
      linalg.yield %t : f32
  } -> tensor<8x16xf32>
  return %r2 : tensor<8x16xf32>
}

// -----
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A softmax by hand: the exponentials are read twice, within the task. One call, nothing around it.
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK-NEXT:    %[[R:.*]] = call @tune_task_0(%arg0, %[[E]])
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func private @tune_task_0
// CHECK-COUNT-2: "reduction"
// CHECK-NOT:     func.func
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f1 = linalg.fill ins(%least : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.reduce ins(%x : tensor<8x16xf32>) outs(%f1 : tensor<8xf32>) dimensions = [1] (%p: f32, %o: f32) {
    %m = arith.maximumf %p, %o : f32
    linalg.yield %m : f32
  }
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %d = arith.subf %p, %q : f32
      %y = math.exp %d : f32
      linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce ins(%exp : tensor<8x16xf32>) outs(%f2 : tensor<8xf32>) dimensions = [1] (%p: f32, %o: f32) {
    %m = arith.addf %p, %o : f32
    linalg.yield %m : f32
  }
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %y = arith.divf %p, %q : f32
      linalg.yield %y : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----
// A value that is used outside ends a task: the product is returned, so the exp is a task of its own.
// CHECK-LABEL: func.func @used_outside
// CHECK:         %[[M:.*]] = call @tune_task_0(%arg0, %{{[^,]*}})
// CHECK:         %[[X:.*]] = call @tune_task_1(%[[M]], %{{.*}})
// CHECK:         return %[[M]], %[[X]]
func.func @used_outside(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.exp ins(%m : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %m, %y : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----
// Accumulating into a tensor that has contents: the destination is what was there, and no fill.
// CHECK-LABEL: func.func @accumulate
// CHECK-NEXT:    %[[R:.*]] = call @tune_task_0(%arg0, %arg1, %arg2)
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func private @tune_task_0
// CHECK-NOT:     linalg.fill
func.func @accumulate(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = linalg.matmul ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %m : tensor<8x8xf32>
}

// -----
// A private helper is inlined, as JAX writes them, and is no border of a task.
// CHECK-LABEL: func.func @calls
// CHECK-COUNT-1: call @tune_task_0
// CHECK-NOT:     call
// CHECK:         return
func.func @calls(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = func.call @relu(%m) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func private @relu(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.max ins(%x, %f : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----
// Sizes known only at run time: an inner tensor of another shape takes its size from an argument.
// CHECK-LABEL: func.func @dynamic
// CHECK:         call @tune_task_0(%arg0, %{{[^,]*}}) : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
// CHECK-LABEL: func.func private @tune_task_0
// CHECK:         tensor.dim %arg0
// CHECK:         tensor.empty(%{{.*}}) : tensor<?xf32>
func.func @dynamic(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----
// A symbol that is taken already.
// CHECK-LABEL: func.func @tune_task_0
// CHECK:         call @tune_task_0_0
// CHECK:       func.func private @tune_task_0_0
func.func @tune_task_0(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
