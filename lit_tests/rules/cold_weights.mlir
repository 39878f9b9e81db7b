// Weights that come out of memory are fetched ahead, into the second cache: those of a function whose
// arguments are more than caches hold, each read by one call. What several calls read, and what fits,
// is there.
// RUN: tune-run %s --function=cold --db= --emit=asm -o %t.cold.s && FileCheck %s --check-prefix=AHEAD --input-file=%t.cold.s
// RUN: tune-run %s --function=again --db= --emit=asm -o %t.again.s && FileCheck %s --check-prefix=NONE --input-file=%t.again.s
// RUN: tune-run %s --function=small --db= --emit=asm -o %t.small.s && FileCheck %s --check-prefix=NONE --input-file=%t.small.s
// RUN: tune-run %s --function=alone --db= --emit=asm -o %t.alone.s && FileCheck %s --check-prefix=AHEAD --input-file=%t.alone.s
// AHEAD: prefetcht1
// NONE-NOT: prefetch
// RUN: tune-run %s --function=alone --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=RUNS
// RUNS: Check {{ *}}ok
func.func private @layer(%x: tensor<1x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<1x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %r = linalg.matmul ins(%x, %w : tensor<1x2048xf32>, tensor<2048x2048xf32>) outs(%f : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %s = linalg.add ins(%r, %x : tensor<1x2048xf32>, tensor<1x2048xf32>) outs(%e : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  return %s : tensor<1x2048xf32>
}
// 84 MB.
func.func @cold(%x: tensor<1x2048xf32>, %a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>,
    %c: tensor<2048x2048xf32>, %d: tensor<2048x2048xf32>, %e: tensor<2048x2048xf32>) -> tensor<1x2048xf32> {
  %0 = call @layer(%x, %a) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %1 = call @layer(%0, %b) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %2 = call @layer(%1, %c) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %3 = call @layer(%2, %d) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %4 = call @layer(%3, %e) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  return %4 : tensor<1x2048xf32>
}
// The same as large, and one of its weights is read twice.
func.func @again(%x: tensor<1x2048xf32>, %a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>,
    %c: tensor<2048x2048xf32>, %d: tensor<2048x2048xf32>, %e: tensor<2048x2048xf32>) -> tensor<1x2048xf32> {
  %0 = call @layer(%x, %a) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %1 = call @layer(%0, %b) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %2 = call @layer(%1, %a) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  return %2 : tensor<1x2048xf32>
}
// 34 MB.
func.func @small(%x: tensor<1x2048xf32>, %a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<1x2048xf32> {
  %0 = call @layer(%x, %a) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  %1 = call @layer(%0, %b) : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  return %1 : tensor<1x2048xf32>
}
// A task by itself.
func.func @alone(%x: tensor<1x4299xf32>, %w: tensor<4299x4000xf32>, %b: tensor<1x4000xf32>) -> tensor<1x4000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4000xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4000xf32>) -> tensor<1x4000xf32>
  %r = linalg.matmul ins(%x, %w : tensor<1x4299xf32>, tensor<4299x4000xf32>) outs(%f : tensor<1x4000xf32>) -> tensor<1x4000xf32>
  %s = linalg.add ins(%r, %b : tensor<1x4000xf32>, tensor<1x4000xf32>) outs(%e : tensor<1x4000xf32>) -> tensor<1x4000xf32>
  return %s : tensor<1x4000xf32>
}
