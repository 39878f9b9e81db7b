// An image of 200 KB gets its borders by a copy that threads share, and Winograd's transform of it is
// theirs, too.
// RUN: sed 's/MARK//' %s > %t.direct.mlir
// RUN: sed 's/MARK/algorithm = "winograd"/' %s > %t.winograd.mlir
// RUN: tune-run %t.direct.mlir --function=nhwc --db= --threads=2 --time=0.02 | FileCheck %s
// RUN: tune-run %t.winograd.mlir --function=nhwc --db= --threads=2 --time=0.02 | FileCheck %s
// RUN: tune-run %t.winograd.mlir --function=nchw --db= --threads=2 --time=0.02 | FileCheck %s
// CHECK: Check {{ *}}ok
func.func @nhwc(%image: tensor<1x40x40x32xf32>, %filter: tensor<3x3x32x32xf32>)
    -> tensor<1x40x40x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x40x40x32xf32> to tensor<1x42x42x32xf32>
  %0 = tensor.empty() : tensor<1x40x40x32xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x40x40x32xf32>) -> tensor<1x40x40x32xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {tune.choices = {MARK}}
      ins(%padded, %filter : tensor<1x42x42x32xf32>, tensor<3x3x32x32xf32>)
      outs(%1 : tensor<1x40x40x32xf32>) -> tensor<1x40x40x32xf32>
  return %2 : tensor<1x40x40x32xf32>
}

func.func @nchw(%image: tensor<1x32x40x40xf32>, %filter: tensor<32x32x3x3xf32>)
    -> tensor<1x32x40x40xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<1x32x40x40xf32> to tensor<1x32x42x42xf32>
  %0 = tensor.empty() : tensor<1x32x40x40xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x32x40x40xf32>) -> tensor<1x32x40x40xf32>
  %2 = linalg.conv_2d_nchw_fchw {tune.choices = {MARK}}
      ins(%padded, %filter : tensor<1x32x42x42xf32>, tensor<32x32x3x3xf32>)
      outs(%1 : tensor<1x32x40x40xf32>) -> tensor<1x32x40x40xf32>
  return %2 : tensor<1x32x40x40xf32>
}
