// Rows that are longer than the caches: blocks with a maximum of their own. Not where something else
// than softmax is done, or no block divides the row.
// RUN: tune-opt %s --tune-print-space="target=null task=0" -o /dev/null 2>&1 | FileCheck %s
// CHECK: blocks {{ *}}linalg {{ *}}of_2048  none, of_1024, of_2048, of_4096
// RUN: tune-opt %s --tune-print-space="target=null task=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=blocks
// NONE: rule 'reduction'
// RUN: tune-run %s --function=rows --db= --time=0.01 --config blocks=of_1024 | FileCheck %s --check-prefix=RIGHT
// RUN: tune-run %s --function=rows --db= --time=0.01 --threads=2 | FileCheck %s --check-prefix=RIGHT
// RIGHT: Check {{ *}}ok

// Stock mlir-opt replays what is exported.
// RUN: tune-opt %s --tune-export-schedule=target=null -o %t.script.mlir
// RUN: mlir-opt %s --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.mlir
// RUN: tune-opt %s --tune-lower="target=null until=schedule" | diff - %t.mlir
func.func @rows(%x: tensor<3x32768xf32>) -> tensor<3x32768xf32> {
  %e = tensor.empty() : tensor<3x32768xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x32768xf32>) outs(%e : tensor<3x32768xf32>) -> tensor<3x32768xf32>
  return %r : tensor<3x32768xf32>
}
func.func @odd(%x: tensor<3x32771xf32>) -> tensor<3x32771xf32> {
  %e = tensor.empty() : tensor<3x32771xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x32771xf32>) outs(%e : tensor<3x32771xf32>) -> tensor<3x32771xf32>
  return %r : tensor<3x32771xf32>
}
