// A convolution does not multiply what lies in the borders of its image, unless the knob 'borders'
// says so: lines of the window run from the first to the last inside, and each of its columns has
// a kernel for the pixels for which it is inside, 6 + 7 + 6 of 3 times 7.
// RUN: tune-opt %s --tune-print-space=target=null -o %t.space.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: tune-run %s --db= --time=0.01 --config=borders=skipped | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --db= --time=0.01 --config=borders=multiplied | FileCheck %s --check-prefix=CORRECT
// The choice is exported as a script of stock ops, which stock mlir-opt replays.
// RUN: sed 's/{stride_one}/{tune.choices = {borders = "skipped", mr = 7, nr = 16, kr = 1}}/' %s > %t.chosen.mlir
// RUN: tune-opt %t.chosen.mlir --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %t.chosen.mlir --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=REPLAYED
// RUN: tune-opt %t.chosen.mlir --tune-lower="target=null until=schedule" | diff - %t.mlir
// SPACE: rule 'contraction'
// SPACE: borders {{.*}} skipped {{.*}}multiplied, skipped
// CORRECT: Check {{ *}}ok
// REPLAYED: affine.max
// REPLAYED: affine.min
// REPLAYED-COUNT-19: vector.fma
// REPLAYED-NOT: vector.fma
func.func @conv(%x: tensor<2x5x7x12xf32>, %w: tensor<3x3x12x32xf32>) -> tensor<2x5x7x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %v: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x5x7x12xf32> to tensor<2x7x9x12xf32>
  %empty = tensor.empty() : tensor<2x5x7x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  %y = linalg.conv_2d_nhwc_hwcf {stride_one} ins(%padded, %w : tensor<2x7x9x12xf32>, tensor<3x3x12x32xf32>)
    outs(%init : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  return %y : tensor<2x5x7x32xf32>
}
