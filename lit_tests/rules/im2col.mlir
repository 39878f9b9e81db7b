// Channels that fill no vectors: patches of the image times the filter, a few lines at a time. With
// borders, and sums that do not start at zero.
// RUN: tune-opt %s --tune-print-space="target=null task=0" -o /dev/null 2>&1 | FileCheck %s
// CHECK: rule 'im2col'
// CHECK: im2col_lines {{ *}}linalg
// RUN: tune-opt %s --tune-print-space="target=null task=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: algorithm {{ *}}linalg {{ *}}winograd {{ *}}direct, winograd, im2col
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | FileCheck %s --check-prefix=PATCHES
// PATCHES: memref<{{[0-9]+}}x10x3x3x8xf32>
// RUN: tune-run %s --function=odd --db= --time=0.01 --config im2col_lines=2,im2col_mr=3 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=even --db= --time=0.01 --threads=2 --config algorithm=im2col | FileCheck %s --check-prefix=RIGHT
// RIGHT: Check {{ *}}ok

// Stock mlir-opt replays what is exported.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | diff - %t.mlir
func.func @odd(%image: tensor<2x8x10x8xf32>, %filter: tensor<3x3x8x19xf32>, %bias: tensor<19xf32>) -> tensor<2x8x10x19xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 1.5 : f32
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x10x8xf32> to tensor<2x10x12x8xf32>
  %empty = tensor.empty() : tensor<2x8x10x19xf32>
  %fill = linalg.fill ins(%start : f32) outs(%empty : tensor<2x8x10x19xf32>) -> tensor<2x8x10x19xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%padded, %filter : tensor<2x10x12x8xf32>, tensor<3x3x8x19xf32>) outs(%fill : tensor<2x8x10x19xf32>) -> tensor<2x8x10x19xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %bias : tensor<2x8x10x19xf32>, tensor<19xf32>) outs(%empty : tensor<2x8x10x19xf32>) {
  ^bb0(%x: f32, %b: f32, %out: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x8x10x19xf32>
  return %1 : tensor<2x8x10x19xf32>
}
func.func @even(%image: tensor<1x10x10x16xf32>, %filter: tensor<3x3x16x32xf32>) -> tensor<1x8x8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x8x8x32xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%image, %filter : tensor<1x10x10x16xf32>, tensor<3x3x16x32xf32>) outs(%fill : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %0 : tensor<1x8x8x32xf32>
}
