// Threads share the channels of a depthwise convolution in blocks that are alike, as planes; where its
// channels are one block, planes on one thread are as fast as lines on two.
// DEFINE: %{space} = tune-opt --tune-print-space="target=cpu:x86-64-v4 threads=2" %t.mlir 2>&1
// RUN: sed 's/CHANNELS/96/g' %s > %t.mlir
// RUN: %{space} | FileCheck %s -DBLOCK=48
// RUN: sed 's/CHANNELS/32/g' %s > %t.mlir
// RUN: %{space} | FileCheck %s -DBLOCK=32
// RUN: sed 's/CHANNELS/192/g' %s > %t.mlir
// RUN: %{space} | FileCheck %s -DBLOCK=32
// CHECK: block {{ *}}linalg {{ *}}[[BLOCK]]
// CHECK: tile_shape {{ *}}linalg {{ *}}planes
// RUN: tune-run %t.mlir --db= --threads=2 --strict --check --time=0.01 | FileCheck %s --check-prefix=RAN
// RAN: Check {{ *}}ok

func.func @main(%image: tensor<28x28xCHANNELSxf32>, %filter: tensor<3x3xCHANNELSxf32>) -> tensor<28x28xCHANNELSxf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<28x28xCHANNELSxf32> to tensor<30x30xCHANNELSxf32>
  %empty = tensor.empty() : tensor<28x28xCHANNELSxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<28x28xCHANNELSxf32>) -> tensor<28x28xCHANNELSxf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(y, x, c, p, q) -> (y + p, x + q, c)>,
                                           affine_map<(y, x, c, p, q) -> (p, q, c)>,
                                           affine_map<(y, x, c, p, q) -> (y, x, c)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %filter : tensor<30x30xCHANNELSxf32>, tensor<3x3xCHANNELSxf32>)
      outs(%init : tensor<28x28xCHANNELSxf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<28x28xCHANNELSxf32>
  return %sums : tensor<28x28xCHANNELSxf32>
}
