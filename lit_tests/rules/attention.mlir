// A product, softmax and a second product are one task, whose scores are never all in memory; three
// where somebody else reads what is between.
// RUN: tune-opt %s --tune-extract=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TASKS
// TASKS: task 0: attention 2x32x48x16 f32; 11 ops
// TASKS: task 1: batch_matmul 2x32x64x16 f32
// TASKS: task 2: softmax 2x32x64 f32
// TASKS: task 3: batch_matmul 2x32x16x64 f32

// RUN: tune-opt %examples/attention_12x128x64_f32.mlir --tune-print-space=target=null -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: rule 'attention'
// SPACE: share % mc == 0 && mc < share

// By default 32 rows of scores are there at a time, and all of K in panels.
// RUN: tune-opt %examples/attention_12x128x64_f32.mlir --tune-lower="target=cpu until=schedule" | FileCheck %s --check-prefix=BLOCKS
// BLOCKS-NOT: memref<{{(12|1)}}x128x128xf32>
// BLOCKS: scf.forall (%{{.*}}) in (12)
// BLOCKS-NOT: memref<{{(12|1)}}x128x128xf32>

// Small tiles, a part of a head for each thread, two threads.
// RUN: tune-run %examples/attention_12x128x64_f32.mlir --db= --time=0.01 --threads=2 --config share=64,mc=16,mr=4,nr=16,kr=8,vector=16,partial=of_16 | FileCheck %s --check-prefix=RIGHT
// RIGHT: Check {{ *}}ok

// Stock mlir-opt replays what is exported.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | diff - %t.mlir
func.func @one_task(%q: tensor<2x32x16xf32>, %k: tensor<2x48x16xf32>, %v: tensor<2x48x16xf32>)
    -> tensor<2x32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %v1 = tensor.empty() : tensor<2x32x48xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%v1 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j, w) -> (h, i, w)>, affine_map<(h, i, j, w) -> (h, j, w)>, affine_map<(h, i, j, w) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x32x16xf32>, tensor<2x48x16xf32>) outs(%v2 : tensor<2x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x32x48xf32>
  %v4 = tensor.empty() : tensor<2x32x48xf32>
  %v5 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<2x32x48xf32>) outs(%v4 : tensor<2x32x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x32x48xf32>
  %v6 = tensor.empty() : tensor<2x32x48xf32>
  %v7 = linalg.softmax dimension(2) ins(%v5 : tensor<2x32x48xf32>) outs(%v6 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %v8 = tensor.empty() : tensor<2x32x16xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%v8 : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
  %v10 = linalg.generic {
      indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v7, %v : tensor<2x32x48xf32>, tensor<2x48x16xf32>) outs(%v9 : tensor<2x32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x32x16xf32>
  return %v10 : tensor<2x32x16xf32>
}
func.func @read_twice(%q: tensor<2x32x16xf32>, %k: tensor<2x64x16xf32>, %v: tensor<2x64x16xf32>)
    -> (tensor<2x32x16xf32>, tensor<2x32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %v1 = tensor.empty() : tensor<2x32x64xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%v1 : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j, w) -> (h, i, w)>, affine_map<(h, i, j, w) -> (h, j, w)>, affine_map<(h, i, j, w) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x32x16xf32>, tensor<2x64x16xf32>) outs(%v2 : tensor<2x32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x32x64xf32>
  %v4 = tensor.empty() : tensor<2x32x64xf32>
  %v5 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<2x32x64xf32>) outs(%v4 : tensor<2x32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x32x64xf32>
  %v6 = tensor.empty() : tensor<2x32x64xf32>
  %v7 = linalg.softmax dimension(2) ins(%v5 : tensor<2x32x64xf32>) outs(%v6 : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  %v8 = tensor.empty() : tensor<2x32x16xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%v8 : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
  %v10 = linalg.generic {
      indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v7, %v : tensor<2x32x64xf32>, tensor<2x64x16xf32>) outs(%v9 : tensor<2x32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x32x16xf32>
  return %v10, %v7 : tensor<2x32x16xf32>, tensor<2x32x64xf32>
}
