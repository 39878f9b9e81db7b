// Several loops of rows, of few rows each (which would be joined but for `tune.stock`): the loop of lines goes inside, so that a panel of B serves
// all lines, where B is more than the second cache keeps and registers are few.
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %s | FileCheck %s
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %s | FileCheck %s --check-prefix=LONG
// RUN: tune-opt --tune-print-space="target=cpu:x86-64-v3 threads=2" %s | FileCheck %s --check-prefix=HALF

// CHECK: knob<"lc"> options = #tune.tile<[1, 2, 7, 14]> {tune.default = 14
// CHECK: tile_using_forall {{.*}} tile_sizes [%{{.*}}, %{{.*}}, %{{.*}}, 0]
// CHECK: tile_sizes [1, %{{.*}}, %{{.*}}, 0] interchange [2, 0, 1, 3]
// CHECK: tile_sizes [1, %{{.*}}, %{{.*}}, 0] interchange [0, 1, 2, 3]
// CHECK: alternatives<"panels"> attributes {tune.default = 0

// Where pieces of B's rows are long, lines stay outside by default.
// LONG: knob<"lc"> options = #tune.tile<[1, 2, 7, 14]> {tune.default = 1
// LONG: alternatives<"panels"> attributes {tune.default = 1

// Threads have lines of their own.
// HALF: knob<"lc"> options = #tune.tile<[1, 2, 7, 14]> {tune.default = 7

// A loop of which B has a part is none of lines.
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %S/Inputs/lines_none.mlir | FileCheck %s --check-prefix=NONE
// NONE-NOT: knob<"lc">

// The op after it may have the loops in another order.
// RUN: tune-run %S/Inputs/lines_turned.mlir --strict --db= --time=0.01 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %S/Inputs/lines_turned.mlir --strict --db= --time=0.01 --config=epilogue=apart,lc=8 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %S/Inputs/lines_turned.mlir --strict --db= --time=0.01 --config=epilogue=outer_tile,lc=2 | FileCheck %s --check-prefix=RIGHT

// What comes out is right in any order.
// RUN: tune-run %s --db= --time=0.01 --config=lc=2,panels=in_place,tile_order=rows_outside | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --db= --time=0.01 --config=lc=14,panels=packed,depth_split=split,tile_order=rows_outside | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --db= --time=0.01 --config=lc=7,panels=packed,mr=4 | FileCheck %s --check-prefix=RIGHT
// RIGHT: Check {{.*}}ok

module attributes {tune.stock} {
func.func @main(%a: tensor<14x14x1024xf32>, %b: tensor<1024x256xf32>) -> tensor<14x14x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<14x14x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<14x14x256xf32>) -> tensor<14x14x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(l, m, n, k) -> (l, m, k)>, affine_map<(l, m, n, k) -> (k, n)>, affine_map<(l, m, n, k) -> (l, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<14x14x1024xf32>, tensor<1024x256xf32>) outs(%init : tensor<14x14x256xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<14x14x256xf32>
  return %r : tensor<14x14x256xf32>
}
}
