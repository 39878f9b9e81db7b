// 72 channels are an odd number of vectors. A block of one vector would be copied in and out, so it is
// none; where threads would have no other block, it is a choice. The output is all the memory there is.
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v3 -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: rule 'depthwise'
// SPACE: block {{.*}} 24, 72
// RUN: tune-worker --build %s --schedule %t.mlir --config block=24 --emit=scheduled | FileCheck %s
// CHECK: memref.alloc() {{.*}} : memref<56x56x72xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: {{linalg|memref}}.copy
// RUN: tune-run %s --target=cpu:x86-64-v3 --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// Images that no cache holds are read in pieces of 256 bytes or more, or whole.
// RUN: sed 's/72/144/g' %s > %t.wide.mlir
// RUN: tune-opt %t.wide.mlir --tune-print-space=target=cpu:x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: block {{ *}}linalg {{ *}}144 {{.*}}16, 48, 144
// RUN: sed 's/72/40/g' %s > %t.few.mlir
// RUN: tune-opt %t.few.mlir --tune-print-space=target=cpu:x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tune-opt %t.few.mlir --tune-print-space="target=cpu:x86-64-v3 threads=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// ONE: block {{ *}}linalg {{ *}}40 {{.*}}40{{$}}
// TWO: block {{ *}}linalg {{ *}}40 {{.*}}8, 40{{$}}
func.func @conv(%x: tensor<56x56x72xf32>, %filter: tensor<3x3x72xf32>) -> tensor<56x56x72xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<56x56x72xf32> to tensor<58x58x72xf32>
  %empty = tensor.empty() : tensor<56x56x72xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<56x56x72xf32>) -> tensor<56x56x72xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(h, w, c, p, q) -> (h + p, w + q, c)>,
                       affine_map<(h, w, c, p, q) -> (p, q, c)>,
                       affine_map<(h, w, c, p, q) -> (h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %filter : tensor<58x58x72xf32>, tensor<3x3x72xf32>)
      outs(%init : tensor<56x56x72xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<56x56x72xf32>
  return %y : tensor<56x56x72xf32>
}
