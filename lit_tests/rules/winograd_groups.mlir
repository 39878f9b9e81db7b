// Groups of channels, which have a dimension of their own, are convolved one after the other, or on
// threads where there are enough of them: batches, a bias and a relu after, tiles over the edge.
// RUN: tune-run %s --db= --strict --time=0.01 --config=algorithm=winograd | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --db= --strict --time=0.01 --config=algorithm=direct | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --db= --strict --time=0.01 --config=algorithm=winograd,winograd_tile=2x2,winograd_mr=4 --threads=2 | FileCheck %s --check-prefix=CORRECT
// RUN: sed 's/{chosen}/{tune.choices = {algorithm = "winograd"}}/' %s > %t.chosen.mlir
// RUN: tune-opt %t.chosen.mlir --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %t.chosen.mlir --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %t.chosen.mlir --tune-lower="target=null until=schedule" | diff - %t.mlir
// More threads than groups share the blocks of each.
// RUN: tune-opt %t.chosen.mlir --tune-lower="target=null threads=4 strict" -o %t.lowered.mlir
// Channels before pixels are turned first, without the batch of one.
// RUN: tune-opt %S/Inputs/grouped_nchw.mlir --tune-print-space=target=null -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: tune-run %S/Inputs/grouped_nchw.mlir --db= --strict --time=0.01 --config=algorithm=winograd | FileCheck %s --check-prefix=CORRECT
// SPACE: rule 'winograd'
// SPACE: algorithm {{.*}}direct, winograd
// CORRECT: Check {{ *}}ok
#image = affine_map<(n, g, h, w, f, p, q, c) -> (n, g, h + p, w + q, c)>
#filter = affine_map<(n, g, h, w, f, p, q, c) -> (g, p, q, c, f)>
#sums = affine_map<(n, g, h, w, f, p, q, c) -> (n, g, h, w, f)>
#all = affine_map<(n, g, h, w, f) -> (n, g, h, w, f)>
#bias = affine_map<(n, g, h, w, f) -> (g, f)>
func.func @main(%x: tensor<2x3x11x12x16xf32>, %w: tensor<3x3x3x16x32xf32>, %b: tensor<3x32xf32>) -> tensor<2x3x9x10x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3x9x10x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3x9x10x32xf32>) -> tensor<2x3x9x10x32xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #sums],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x3x11x12x16xf32>, tensor<3x3x3x16x32xf32>)
    outs(%init : tensor<2x3x9x10x32xf32>) attrs = {chosen} {
  ^bb0(%in: f32, %weight: f32, %sum: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3x9x10x32xf32>
  %r = linalg.generic {indexing_maps = [#all, #bias, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%y, %b : tensor<2x3x9x10x32xf32>, tensor<3x32xf32>) outs(%empty : tensor<2x3x9x10x32xf32>) {
  ^bb0(%in: f32, %offset: f32, %out: f32):
    %s = arith.addf %in, %offset : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x3x9x10x32xf32>
  return %r : tensor<2x3x9x10x32xf32>
}
