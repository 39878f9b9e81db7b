// Convolutions with 3x3 windows are computed directly, or by Winograd's transforms, as the knob
// 'algorithm' says, and rightly with either; here with tiles over the edge, a bias before and a
// relu after.
// RUN: tune-opt %s --tune-print-space=target=null -o %t.space.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: tune-run %s --db= --time=0.01 --config=algorithm=winograd | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --db= --time=0.01 --config=algorithm=direct | FileCheck %s --check-prefix=CORRECT
// Smaller tiles, and the depth in parts.
// RUN: tune-run %s --db= --time=0.01 --config=algorithm=winograd,winograd_tile=2x2,winograd_kc=64,winograd_mr=4 | FileCheck %s --check-prefix=CORRECT
// The choice is exported as a script of stock ops, which stock mlir-opt replays.
// RUN: sed 's/{stride_one}/{tune.choices = {algorithm = "winograd"}}/' %s > %t.chosen.mlir
// RUN: tune-opt %t.chosen.mlir --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %t.chosen.mlir --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=REPLAYED
// RUN: tune-opt %t.chosen.mlir --tune-lower="target=null until=schedule" | diff - %t.mlir
// SPACE: rule 'winograd'
// SPACE: algorithm {{.*}} winograd {{.*}}direct, winograd
// SPACE: winograd_kc {{.*}} 128 {{.*}}64, 128
// SPACE: winograd_tile {{.*}} 4x4 {{.*}}4x4, 2x2
// SPACE: algorithm == winograd => winograd_block % winograd_nr == 0
// CORRECT: Check {{ *}}ok
// REPLAYED-NOT: tosa
// REPLAYED-NOT: linalg.winograd
// REPLAYED: vector.fma
// REPLAYED: vector.store
func.func @conv(%x: tensor<1x9x12x128xf32>, %w: tensor<3x3x128x64xf32>, %b: tensor<64xf32>) -> tensor<1x7x10x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x7x10x64xf32>
  %init = linalg.broadcast ins(%b : tensor<64xf32>) outs(%empty : tensor<1x7x10x64xf32>) dimensions = [0, 1, 2]
  %y = linalg.conv_2d_nhwc_hwcf {stride_one} ins(%x, %w : tensor<1x9x12x128xf32>, tensor<3x3x128x64xf32>)
    outs(%init : tensor<1x7x10x64xf32>) -> tensor<1x7x10x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y : tensor<1x7x10x64xf32>) outs(%empty : tensor<1x7x10x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x7x10x64xf32>
  return %r : tensor<1x7x10x64xf32>
}
