// RUN: tune-run %s --function=masked --db= --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=masked_up --db= --time=0.001 | FileCheck %s
// RUN: not tune-run %s --function=below --db= --time=0.001 | FileCheck %s --check-prefix=BELOW
// An infinity that a mask puts in, of either sign, is a result like others; one of an overflow is not,
// and is counted whatever its sign.
// CHECK: Check {{ *}}ok
// BELOW: Check {{ *}}inconclusive: of the 64 elements of result 0 64 are infinite in the reference
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @masked(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %far = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %later = arith.cmpi sgt, %j, %i : index
    %y = arith.select %later, %far, %a : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @masked_up(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %far = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %later = arith.cmpi sgt, %j, %i : index
    %y = arith.select %later, %far, %a : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @below(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %far = arith.constant -6.0e+4 : f16
  %more = arith.constant 6.0e+4 : f16
  %e = tensor.empty() : tensor<8x8xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %a, %far : f16
    %y = arith.mulf %s, %more : f16
    linalg.yield %y : f16
  } -> tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}
