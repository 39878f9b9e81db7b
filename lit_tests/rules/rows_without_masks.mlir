// Rows that no vector divides: where registers have no masks, 'general' takes them, which has code of its own
// for what is left over; else they are masked.
// RUN: tune-opt %s --tune-print-space="task=mul target=cpu:x86-64-v3" 2>&1 | FileCheck %s --check-prefix=V3
// RUN: tune-opt %s --tune-print-space="task=mul target=cpu:x86-64-v4" 2>&1 | FileCheck %s --check-prefix=V4
// RUN: tune-run %s --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// V3: mul 49x100 f32
// V3-NEXT: rule 'general'
// V4: mul 49x100 f32
// V4-NEXT: rule 'elementwise'
#m = affine_map<(d0, d1) -> (d0, d1)>
#v = affine_map<(d0, d1) -> (d1)>
func.func @main(%a: tensor<49x100xf32>, %b: tensor<100xf32>) -> tensor<49x100xf32> {
  %e = tensor.empty() : tensor<49x100xf32>
  %r = linalg.generic {indexing_maps = [#m, #v, #m], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<49x100xf32>, tensor<100xf32>) outs(%e : tensor<49x100xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<49x100xf32>
  return %r : tensor<49x100xf32>
}
