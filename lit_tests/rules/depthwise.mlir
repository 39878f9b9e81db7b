// A depthwise convolution has a rule, whose tiles have two shapes.
// RUN: tune-opt %s --tune-print-space -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: rule 'depthwise'
// SPACE: band {{.*}} 1, 2, 7, 14
// 14 lines leave nothing over in tiles of 2 and 7, so that no code would know where the border is.
// SPACE: plane_lines {{.*}} 3, 4, 5, 6
//
// Rows: borders are added to a band at a time, without asking whether the band is all border, and
// accumulators stay in registers while the windows pass.
// RUN: tune-worker --build %s --schedule %t.mlir --config tile_shape=rows,band=7 --emit=scheduled \
// RUN:   | FileCheck %s
// CHECK: scf.forall
// CHECK-NOT: scf.if
// CHECK: memref.alloc() {{.*}} : memref<9x16x32xf32>
// CHECK: scf.for {{.*}} -> (vector<
// CHECK-NOT: memref.alloc
//
// Planes: the image is read where it lies, and the output is all the memory there is, which sums go
// to when they are done.
// RUN: tune-worker --build %s --schedule %t.mlir --emit=scheduled \
// RUN:   --config tile_shape=planes,plane_lines=3,plane_rows=3,plane_nr=32 \
// RUN:   | FileCheck %s --check-prefix=PLANE
// PLANE-NOT: scf.if
// PLANE: memref.alloc() {{.*}} : memref<14x14x32xf32>
// PLANE-NOT: memref.alloc
// PLANE: scf.for {{.*}} = %c3 to %c12 step %c3
// PLANE: scf.for {{.*}} = %c3 to %c12 step %c3
// PLANE: vector.load %arg0
// PLANE-NOT: vector.load %subview
// PLANE: vector.store
// PLANE-COUNT-8: vector.store
// PLANE-NOT: memref.alloc
//
// Stock mlir-opt replays what is exported.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.replayed.mlir
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | diff - %t.replayed.mlir
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
