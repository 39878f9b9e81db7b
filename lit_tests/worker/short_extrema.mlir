// The largest of a few numbers is found by the plain lowering too: LLVM 22 vectorizes a loop over
// maxnum of up to 15 steps so that it forgets the last ones. The rule's code has no such loop.
// RUN: tune-run %s --db= --time=0.01 | FileCheck %s
// CHECK: Check {{ *}}ok
func.func @main(%x: tensor<40x7xf32>, %y: tensor<40x15xf64>) -> (tensor<40xf32>, tensor<40xf64>) {
  %low = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<40xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %max = linalg.reduce {arith.maxnumf} ins(%x : tensor<40x7xf32>) outs(%f : tensor<40xf32>)
    dimensions = [1]
  %high = arith.constant 1.0e4 : f64
  %e64 = tensor.empty() : tensor<40xf64>
  %f64 = linalg.fill ins(%high : f64) outs(%e64 : tensor<40xf64>) -> tensor<40xf64>
  %min = linalg.reduce {arith.minnumf} ins(%y : tensor<40x15xf64>) outs(%f64 : tensor<40xf64>)
    dimensions = [1]
  return %max, %min : tensor<40xf32>, tensor<40xf64>
}
