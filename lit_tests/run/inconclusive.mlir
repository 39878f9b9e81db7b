// RUN: not tune-run %s --db= --time=0.001 | FileCheck %s
// RUN: not tune-opt %s --tune-search="trials=2 db=%t.db report=plain" -o %t.out 2>&1 | FileCheck %s --check-prefix=SEARCH
// Where there are no numbers to compare with, nothing is known: that is said, and is no success.
// CHECK: Check {{ *}}inconclusive: of the 64 elements of result 0 64 are infinite in the reference
// SEARCH: inconclusive: of the 64 elements of argument 1 64 are infinite in the reference
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<64xf16>) -> tensor<64xf16> {
  %far = arith.constant 6.0e+4 : f16
  %e = tensor.empty() : tensor<64xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %a, %far : f16
    %y = arith.mulf %s, %far : f16
    linalg.yield %y : f16
  } -> tensor<64xf16>
  return %r : tensor<64xf16>
}
