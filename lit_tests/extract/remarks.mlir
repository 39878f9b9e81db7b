// What is not tuned stays as it is and is named, with the reason, where it stands; on request the tasks
// are named too.
// RUN: tune-opt %s --tune-extract=all --split-input-file --verify-diagnostics -o /dev/null

func.func @matmul(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{task 0: matmul 8x32x16 f32; 2 ops, 1 occurrence, 8.19 kflop, 3.58 kB}}
  %m = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %m : tensor<8x32xf32>
}

// -----
// expected-remark @below {{there is nothing to tune in this module}}
module {
  func.func @buffers(%m: memref<4x4xf32>) {
    %zero = arith.constant 0.0 : f32
    // expected-remark @below {{linalg.fill is not tuned: it works on buffers; tuning starts from tensors, before bufferization}}
    linalg.fill ins(%zero : f32) outs(%m : memref<4x4xf32>)
    return
  }
}

// -----
// expected-remark @below {{there is nothing to tune in this module}}
module {
  func.func @types(%x: tensor<4xi4>, %y: tensor<4xcomplex<f32>>) -> (tensor<4xi4>, tensor<4xcomplex<f32>>) {
    // expected-remark @below {{linalg.add is not tuned: an element type is none of f16, bf16, f32, f64, i1, i8, i16, i32, i64, index}}
    %a = linalg.add ins(%x, %x : tensor<4xi4>, tensor<4xi4>) outs(%x : tensor<4xi4>) -> tensor<4xi4>
    // expected-remark @below {{linalg.add is not tuned: an element type is none of}}
    %b = linalg.add ins(%y, %y : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) outs(%y : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    return %a, %b : tensor<4xi4>, tensor<4xcomplex<f32>>
  }
}

// -----
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
// expected-remark @below {{there is nothing to tune in this module}}
module {
  func.func @sparse(%x: tensor<8x8xf32, #csr>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
    // expected-remark @below {{linalg.matvec is not tuned: an operand has a sparse or other special encoding}}
    %a = linalg.matvec ins(%x, %y : tensor<8x8xf32, #csr>, tensor<8xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
    return %a : tensor<8xf32>
  }
}

// -----
// expected-remark @below {{there is nothing to tune in this module}}
module {
  func.func @tosa(%x: tensor<1x8x8xf32>, %z: tensor<1xf32>) -> tensor<1x8x8xf32> {
    // expected-remark @below {{tosa.exp (2 of them) is not tuned: it is TOSA; lower it first}}
    %a = tosa.exp %x : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %b = tosa.exp %a : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    return %b : tensor<1x8x8xf32>
  }
}

// -----
// The sum is a task; dividing one element is not worth one. The pad has nobody to pad for.
func.func @little(%x: tensor<8x8xf32>) -> (tensor<f32>, tensor<10x10xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  // expected-remark @below {{task 0: sum over 8x8 f32; 2 ops, 1 occurrence}}
  %s = linalg.reduce ins(%x : tensor<8x8xf32>) outs(%f : tensor<f32>) dimensions = [0, 1] (%p: f32, %o: f32) {
    %m = arith.addf %p, %o : f32
    linalg.yield %m : f32
  }
  // expected-remark @below {{linalg.map is not tuned: it computes a single element}}
  %mean = linalg.map ins(%s : tensor<f32>) outs(%e : tensor<f32>) (%p: f32, %o: f32) {
    %d = arith.divf %p, %n : f32
    linalg.yield %d : f32
  }
  // expected-remark @below {{tensor.pad is not tuned: it pads for no contraction, convolution or pooling of its own}}
  %pad = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<10x10xf32>
  return %mean, %pad : tensor<f32>, tensor<10x10xf32>
}
