// The centred values of a norm are made again by what reads them: there is no buffer for them, and
// what belongs to a row is computed once, not in each lane.
// RUN: tune-opt %s --tune-print-space="target=null" -o %t.mlir
// RUN: tune-worker --build %s --schedule %t.mlir --emit=scheduled \
// RUN:   | FileCheck %s --implicit-check-not=memref.alloc
// CHECK: memref.alloc() {{.*}} : memref<20x192xf32>
// CHECK: memref.alloca() {{.*}} : memref<1xf32>
// CHECK: vector.load %arg0
// CHECK: vector.reduction
// CHECK: arith.divf {{.*}} : f32
// CHECK: vector.load %arg0
// CHECK: arith.subf
// CHECK: vector.reduction
// CHECK: math.rsqrt {{.*}} : f32
// CHECK: vector.load %arg0
// CHECK: arith.subf
// CHECK: vector.store
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
func.func @norm(%x: tensor<20x192xf32>, %g: tensor<192xf32>, %h: tensor<192xf32>) -> tensor<20x192xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 192.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<20xf32>
  %e2 = tensor.empty() : tensor<20x192xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x192xf32>) outs(%z : tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<20x192xf32>, tensor<20xf32>) outs(%e2 : tensor<20x192xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x192xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<20x192xf32>) outs(%z : tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<20xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %v, %g, %h : tensor<20x192xf32>, tensor<20xf32>, tensor<192xf32>, tensor<192xf32>)
      outs(%e2 : tensor<20x192xf32>) {
  ^bb0(%a: f32, %b: f32, %p: f32, %q: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.addf %0, %tiny : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %p : f32
    %5 = arith.addf %4, %q : f32
    linalg.yield %5 : f32
  } -> tensor<20x192xf32>
  return %r : tensor<20x192xf32>
}
