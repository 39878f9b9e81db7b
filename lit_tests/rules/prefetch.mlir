// What is larger than the second cache is read ahead: beside each load, every line of it, as far
// ahead as the knob says, and into the second cache.
// RUN: tune-opt %s --tune-print-space="target=null task=0" -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SPACE
// SPACE: prefetch{{ *}}buffer{{ *}}by_2048{{ *}}none, by_1024, by_2048
// RUN: tune-worker --build %s --function=sums --schedule %t.mlir --config=columns=32,steps=2 \
// RUN:   --emit=scheduled | FileCheck %s
// CHECK: arith.constant 512 : index
// CHECK: memref.prefetch %arg0[%{{.*}}, %{{.*}}], read, locality<2>, data : memref<1024x1024xf32>
// CHECK: memref.prefetch %arg0[
// CHECK-NEXT: vector.load %arg0[{{.*}} vector<32xf32>
// CHECK-COUNT-2: memref.prefetch
// CHECK-NOT: memref.prefetch
// RUN: tune-worker --build %s --function=sums --schedule %t.mlir --config=prefetch=none \
// RUN:   --emit=scheduled | FileCheck %s --check-prefix=NONE --implicit-check-not=memref.prefetch
// NONE: vector.load
// Instructions, in the end.
// RUN: tune-worker --build %s --function=sums --schedule %t.mlir --triple=x86_64-linux-gnu \
// RUN:   --cpu=x86-64-v4 --emit=asm | FileCheck %s --check-prefix=ASM
// ASM: prefetcht1
func.func @sums(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<1024x1024xf32>)
    outs(%f : tensor<1024xf32>) dimensions = [0]
  return %sum : tensor<1024xf32>
}

// What a cache holds is not.
// RUN: tune-opt %s --tune-print-space="target=null task=1" 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: rule 'reduction'
// SMALL-NOT: prefetch
func.func @small(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>)
    outs(%f : tensor<64xf32>) dimensions = [0]
  return %sum : tensor<64xf32>
}
