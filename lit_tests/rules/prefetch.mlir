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
    outs(%f : tensor<1024xf32>) dimensions = [0] {tune.choices = {rule = "reduction"}}
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
    outs(%f : tensor<64xf32>) dimensions = [0] {tune.choices = {rule = "reduction"}}
  return %sum : tensor<64xf32>
}

// A matrix is not either, as it is read by whole rows or copied. The filter of a convolution is, by 4, 8 or 16
// of its rows: here a vector of each of the nine that Winograd's transforms take.
// RUN: tune-opt %s --tune-print-space="target=null task=2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FILTER
// FILTER: rule 'winograd'
// FILTER: prefetch{{ *}}buffer{{ *}}by_16384{{ *}}none, by_8192, by_16384, by_32768
// RUN: sed -n '/func.func @filter/,/^}/p' %s \
// RUN:   | sed 's/{stride_one}/{tune.choices = {algorithm = "winograd", prefetch = "by_8192"}}/' \
// RUN:   | tune-opt --tune-lower="target=null until=schedule" | FileCheck %s --check-prefix=AHEAD
// AHEAD: arith.constant 2048 : index
// AHEAD-COUNT-9: memref.prefetch {{.*}}, read, locality<2>, data : memref<3x3x512x512xf32
// AHEAD-NOT: memref.prefetch
func.func @filter(%x: tensor<1x6x6x512xf32>, %w: tensor<3x3x512x512xf32>) -> tensor<1x4x4x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x512xf32>) -> tensor<1x4x4x512xf32>
  %y = linalg.conv_2d_nhwc_hwcf {stride_one} ins(%x, %w : tensor<1x6x6x512xf32>, tensor<3x3x512x512xf32>)
    outs(%f : tensor<1x4x4x512xf32>) -> tensor<1x4x4x512xf32>
  return %y : tensor<1x4x4x512xf32>
}

// RUN: tune-opt %s --tune-print-space="target=null task=3" 2>&1 | FileCheck %s --check-prefix=MATRIX
// MATRIX: rule 'contraction'
// MATRIX-NOT: prefetch
func.func @matrix(%x: tensor<16x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<16x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %y = linalg.matmul ins(%x, %w : tensor<16x1024xf32>, tensor<1024x1024xf32>)
    outs(%f : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  return %y : tensor<16x1024xf32>
}

// The rows of a matrix are, where few columns use them.
// RUN: tune-opt %s --tune-print-space="target=null task=4" 2>&1 | FileCheck %s --check-prefix=TALL
// TALL: prefetch{{ *}}buffer{{ *}}by_2048{{ *}}none, by_1024, by_2048, by_4096
// RUN: sed -n '/func.func @tall/,/^}/p' %s | tune-opt --tune-lower="target=null until=schedule" \
// RUN:   | FileCheck %s --check-prefix=ROWS
// ROWS: memref.prefetch {{.*}}, read, locality<2>, data : memref<8192x64xf32>
func.func @tall(%x: tensor<8192x64xf32>, %w: tensor<64x32xf32>) -> tensor<8192x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8192x32xf32>) -> tensor<8192x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8192x64xf32>, tensor<64x32xf32>)
    outs(%f : tensor<8192x32xf32>) -> tensor<8192x32xf32>
  return %y : tensor<8192x32xf32>
}
