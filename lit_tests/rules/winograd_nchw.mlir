// Convolutions with 3x3 windows and channels before pixels are computed directly, or by Winograd's
// transforms, as the knob 'algorithm' says, and rightly with either; here with tiles over the
// edge, a bias before and a relu after.
// RUN: tune-opt %s --tune-print-space=target=null -o %t.space.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: tune-run %s --db= --time=0.01 --config=algorithm=winograd | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --db= --time=0.01 --config=algorithm=direct | FileCheck %s --check-prefix=CORRECT
// The choice is exported as a script of stock ops, which stock mlir-opt replays.
// RUN: sed 's/{stride_one}/{tune.choices = {algorithm = "winograd"}}/' %s > %t.chosen.mlir
// RUN: tune-opt %t.chosen.mlir --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %t.chosen.mlir --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=REPLAYED
// RUN: tune-opt %t.chosen.mlir --tune-lower="target=null until=schedule" | diff - %t.mlir
// SPACE: rule 'winograd_nchw'
// SPACE: algorithm {{.*}} winograd {{.*}}direct, winograd
// CORRECT: Check {{ *}}ok
// REPLAYED-NOT: tosa
// REPLAYED-NOT: linalg.winograd
// REPLAYED-NOT: unrealized_conversion_cast
// REPLAYED: vector.fma
func.func @conv(%x: tensor<1x32x7x10xf32>, %w: tensor<64x32x3x3xf32>, %b: tensor<64xf32>) -> tensor<1x64x7x10xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x32x7x10xf32> to tensor<1x32x9x12xf32>
  %empty = tensor.empty() : tensor<1x64x7x10xf32>
  %init = linalg.broadcast ins(%b : tensor<64xf32>) outs(%empty : tensor<1x64x7x10xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw {stride_one} ins(%padded, %w : tensor<1x32x9x12xf32>, tensor<64x32x3x3xf32>)
    outs(%init : tensor<1x64x7x10xf32>) -> tensor<1x64x7x10xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (n, f, h, w)>, affine_map<(n, f, h, w) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y : tensor<1x64x7x10xf32>) outs(%empty : tensor<1x64x7x10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x64x7x10xf32>
  return %r : tensor<1x64x7x10xf32>
}
