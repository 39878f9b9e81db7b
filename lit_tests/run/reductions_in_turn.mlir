// Reductions one dimension at a time, as TOSA writes them, become one for CPUs: of everything, of dimensions beside
// each other, of maxima and integers, beginning with a number. Where a dimension between them is left, the first
// begins with something that counts or is read elsewhere, and for sums of f16, they stay; so do they for devices.
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK: remark: task 0: sum over 64x48 f32
// CHECK-LABEL: func.func @all
// CHECK-COUNT-1: call @tune_task
// CHECK-NOT: call @tune_task
// CHECK-LABEL: func.func @image
// CHECK-COUNT-1: call @tune_task
// CHECK-NOT: call @tune_task
// CHECK-LABEL: func.func @three
// CHECK-COUNT-1: call @tune_task
// CHECK-NOT: call @tune_task
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: call @tune_task
// CHECK-LABEL: func.func @counts
// CHECK-COUNT-2: call @tune_task
// CHECK-LABEL: func.func @read
// CHECK-COUNT-2: call @tune_task
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-2: call @tune_task
// RUN: sh -c 'for f in all image three apart counts read rounded; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-7: Check {{ *}}ok
// RUN: tune-opt %s --tune-print-space="target=vulkan:generic" 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE-NOT: sum over 64x48
// DEVICE: sum 48 over 64

func.func @all(%x: tensor<64x48xf32>) -> (tensor<1xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<48xf32>
  %f0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<48xf32>) -> tensor<48xf32>
  %r0 = linalg.reduce ins(%x : tensor<64x48xf32>) outs(%f0 : tensor<48xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  %x0 = tensor.expand_shape %r0 [[0, 1]] output_shape [1, 48] : tensor<48xf32> into tensor<1x48xf32>
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1xf32>
  %f1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %r1 = linalg.reduce ins(%x0 : tensor<1x48xf32>) outs(%f1 : tensor<1xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r1 : tensor<1xf32>
}
func.func @image(%x: tensor<2x7x9x16xf32>) -> (tensor<2x1x16xf32>) {
  %c0 = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x9x16xf32>
  %f0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<2x9x16xf32>) -> tensor<2x9x16xf32>
  %r0 = linalg.reduce ins(%x : tensor<2x7x9x16xf32>) outs(%f0 : tensor<2x9x16xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.maximumf %a, %b : f32
      linalg.yield %s : f32
    }
  %x0 = tensor.expand_shape %r0 [[0], [1, 2], [3]] output_shape [2, 1, 9, 16] : tensor<2x9x16xf32> into tensor<2x1x9x16xf32>
  %c1 = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<2x1x16xf32>
  %f1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<2x1x16xf32>) -> tensor<2x1x16xf32>
  %r1 = linalg.reduce ins(%x0 : tensor<2x1x9x16xf32>) outs(%f1 : tensor<2x1x16xf32>) dimensions = [2]
    (%a: f32, %b: f32) {
      %s = arith.maximumf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r1 : tensor<2x1x16xf32>
}
func.func @three(%x: tensor<4x5x6xi32>) -> (tensor<i32>) {
  %c0 = arith.constant 0 : i32
  %e0 = tensor.empty() : tensor<4x5xi32>
  %f0 = linalg.fill ins(%c0 : i32) outs(%e0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  %r0 = linalg.reduce ins(%x : tensor<4x5x6xi32>) outs(%f0 : tensor<4x5xi32>) dimensions = [2]
    (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      linalg.yield %s : i32
    }
  %c1 = arith.constant 0 : i32
  %e1 = tensor.empty() : tensor<4xi32>
  %f1 = linalg.fill ins(%c1 : i32) outs(%e1 : tensor<4xi32>) -> tensor<4xi32>
  %r1 = linalg.reduce ins(%r0 : tensor<4x5xi32>) outs(%f1 : tensor<4xi32>) dimensions = [1]
    (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      linalg.yield %s : i32
    }
  %c2 = arith.constant 3 : i32
  %e2 = tensor.empty() : tensor<i32>
  %f2 = linalg.fill ins(%c2 : i32) outs(%e2 : tensor<i32>) -> tensor<i32>
  %r2 = linalg.reduce ins(%r1 : tensor<4xi32>) outs(%f2 : tensor<i32>) dimensions = [0]
    (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      linalg.yield %s : i32
    }
  return %r2 : tensor<i32>
}
func.func @apart(%x: tensor<4x5x6xf32>) -> (tensor<5xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<5x6xf32>
  %f0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %r0 = linalg.reduce ins(%x : tensor<4x5x6xf32>) outs(%f0 : tensor<5x6xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<5xf32>
  %f1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
  %r1 = linalg.reduce ins(%r0 : tensor<5x6xf32>) outs(%f1 : tensor<5xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r1 : tensor<5xf32>
}
func.func @counts(%x: tensor<40x50xf32>) -> (tensor<f32>) {
  %c0 = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<50xf32>
  %f0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<50xf32>) -> tensor<50xf32>
  %r0 = linalg.reduce ins(%x : tensor<40x50xf32>) outs(%f0 : tensor<50xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %r1 = linalg.reduce ins(%r0 : tensor<50xf32>) outs(%f1 : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r1 : tensor<f32>
}
func.func @read(%x: tensor<40x50xf32>) -> (tensor<f32>, tensor<50xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<50xf32>
  %f0 = linalg.fill ins(%c0 : f32) outs(%e0 : tensor<50xf32>) -> tensor<50xf32>
  %r0 = linalg.reduce ins(%x : tensor<40x50xf32>) outs(%f0 : tensor<50xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  %c1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%c1 : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %r1 = linalg.reduce ins(%r0 : tensor<50xf32>) outs(%f1 : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r1, %r0 : tensor<f32>, tensor<50xf32>
}
func.func @rounded(%x: tensor<40x50xf16>) -> (tensor<f16>) {
  %c0 = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<50xf16>
  %f0 = linalg.fill ins(%c0 : f16) outs(%e0 : tensor<50xf16>) -> tensor<50xf16>
  %r0 = linalg.reduce ins(%x : tensor<40x50xf16>) outs(%f0 : tensor<50xf16>) dimensions = [0]
    (%a: f16, %b: f16) {
      %s = arith.addf %a, %b : f16
      linalg.yield %s : f16
    }
  %c1 = arith.constant 0.0 : f16
  %e1 = tensor.empty() : tensor<f16>
  %f1 = linalg.fill ins(%c1 : f16) outs(%e1 : tensor<f16>) -> tensor<f16>
  %r1 = linalg.reduce ins(%r0 : tensor<50xf16>) outs(%f1 : tensor<f16>) dimensions = [0]
    (%a: f16, %b: f16) {
      %s = arith.addf %a, %b : f16
      linalg.yield %s : f16
    }
  return %r1 : tensor<f16>
}
