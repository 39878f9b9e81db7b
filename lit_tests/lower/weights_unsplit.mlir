// Code that stays in one piece packs nothing ahead, whatever is chosen; where it was chosen, a remark
// says so.
// RUN: sed 's/MARK/weights = "each_call"/' %s | tune-opt --tune-lower=until=schedule -o %t.each 2> %t.each.err
// RUN: sed 's/MARK/weights = "ahead"/' %s | tune-opt --tune-lower=until=schedule -o %t.ahead 2> %t.ahead.err
// RUN: sed 's/MARK//' %s | tune-opt --tune-lower=until=schedule -o %t.default 2> %t.default.err
// RUN: diff %t.each %t.ahead
// RUN: diff %t.each %t.default
// RUN: cat %t.each.err %t.default.err | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: FileCheck %s --input-file=%t.ahead.err
// RUN: sed 's/MARK/weights = "ahead"/' %s | tune-opt --tune-export-schedule -o %t.script 2>&1 | FileCheck %s
// CHECK: remark: 'matmul 64x96x32 f32' takes weights = each_call here, not ahead: that is for code which is split in two
// CHECK-NOT: remark
// QUIET-NOT: weights
func.func @f(%a: tensor<64x32xf32>, %w: tensor<32x96xf32> {tune.constant}) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x96xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = linalg.matmul {tune.choices = {MARK}} ins(%a, %w : tensor<64x32xf32>, tensor<32x96xf32>)
      outs(%1 : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %2 : tensor<64x96xf32>
}
