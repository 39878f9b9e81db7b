// Few rows and columns: a part of the depth for each thread. Parts that 2 divides alone have another
// default of the depth's unrolling.
// RUN: tune-opt %s --tune-print-space="target=null threads=2" -o /dev/null 2>&1 | FileCheck %s
// CHECK: split_k {{ *}}linalg {{ *}}threads  none, threads
// CHECK: split_k == threads => 514 % kr == 0
// RUN: tune-opt %s --tune-print-space="target=null" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=split_k
// ONE: rule 'contraction'
// RUN: tune-opt %s --tune-lower="target=null threads=2 until=schedule" | FileCheck %s --check-prefix=PARTS
// PARTS: scf.forall (%{{.*}}) in (2)
// PARTS-DAG: memref<2x16x64xf32>

// Stock mlir-opt replays what is exported.
// RUN: tune-opt %s --tune-export-schedule="target=null threads=2" -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %s --tune-lower="target=null threads=2 until=schedule" | diff - %t.mlir
func.func @main(%a: tensor<16x1028xf32>, %b: tensor<1028x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x1028xf32>, tensor<1028x64xf32>) outs(%fill : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
