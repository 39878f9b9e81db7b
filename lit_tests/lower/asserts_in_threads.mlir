// What an index has to hold is asserted within loops that threads share: the loop's scope ends behind it.
// RUN: tune-opt %s --tune-lower="threads=2 strict" | FileCheck %s
// CHECK: llvm.func @tune_task_0
// CHECK: omp.parallel
// CHECK: omp.wsloop nowait
// CHECK: llvm.cond_br
// RUN: tune-run %s --db= --threads=2 --strict --check --time=0.01 | FileCheck %s --check-prefix=RAN
// RAN: Check {{ *}}ok

func.func @main(%table: tensor<100x1024xf32>, %indices: tensor<64xi64>) -> tensor<64x1024xf32> {
  %empty = tensor.empty() : tensor<64x1024xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%indices : tensor<64xi64>) outs(%empty : tensor<64x1024xf32>) {
  ^bb0(%index: i64, %out: f32):
    %zero = arith.constant 0 : i64
    %row = arith.index_cast %index : i64 to index
    %column = linalg.index 1 : index
    %is_positive = arith.cmpi sge, %index, %zero : i64
    cf.assert %is_positive, "an index is 0 or more"
    %element = tensor.extract %table[%row, %column] : tensor<100x1024xf32>
    linalg.yield %element : f32
  } -> tensor<64x1024xf32>
  return %rows : tensor<64x1024xf32>
}
