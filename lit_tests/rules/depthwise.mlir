// A depthwise convolution has a rule. Borders are added to a band at a time, without asking whether
// the band is all border, and accumulators stay in registers while the windows pass.
// RUN: tune-opt %s --tune-print-space -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: rule 'depthwise'
// SPACE: band {{.*}} 1, 2, 7, 14
// RUN: tune-worker --build %s --schedule %t.mlir --config band=7 --emit=scheduled | FileCheck %s
// CHECK: scf.forall
// CHECK-NOT: scf.if
// CHECK: memref.alloc() {{.*}} : memref<9x16x32xf32>
// CHECK: scf.for {{.*}} -> (vector<
// CHECK-NOT: memref.alloc
func.func @depthwise(%x: tensor<14x14x32xf32>, %filter: tensor<3x3x32xf32>)
    -> tensor<14x14x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<14x14x32xf32> to tensor<16x16x32xf32>
  %empty = tensor.empty() : tensor<14x14x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<14x14x32xf32>) -> tensor<14x14x32xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(h, w, c, p, q) -> (h + p, w + q, c)>,
                       affine_map<(h, w, c, p, q) -> (p, q, c)>,
                       affine_map<(h, w, c, p, q) -> (h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %filter : tensor<16x16x32xf32>, tensor<3x3x32xf32>)
      outs(%init : tensor<14x14x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<14x14x32xf32>
  return %y : tensor<14x14x32xf32>
}
