// Channels that fill half of the widest register: LLVM is not to join two of them.
// RUN: sed 's/CHANNELS/8/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: tune-run %t.mlir --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/CHANNELS/16/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// HALF: rule 'contraction'
// HALF: llvm_vector_width {{ *}}target {{ *}}256
// WHOLE: llvm_vector_width {{ *}}target {{ *}}512
// OK: Check {{ *}}ok
func.func @main(%x: tensor<1x9x9xCHANNELSxf32>, %w: tensor<3x3xCHANNELSxCHANNELSxf32>) -> tensor<1x7x7xCHANNELSxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x7x7xCHANNELSxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x7x7xCHANNELSxf32>) -> tensor<1x7x7xCHANNELSxf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x9xCHANNELSxf32>, tensor<3x3xCHANNELSxCHANNELSxf32>)
      outs(%init : tensor<1x7x7xCHANNELSxf32>) -> tensor<1x7x7xCHANNELSxf32>
  return %y : tensor<1x7x7xCHANNELSxf32>
}
