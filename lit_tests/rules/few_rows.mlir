// Few rows by a B that the second cache holds: on 16 registers it is read where it lies up to 64 rows,
// up to 32 if it is at most twice as large as that cache, and else up to 16.
// RUN: sed 's/ROWS/64/g; s/DEPTH/512/g; s/COLUMNS/128/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir | FileCheck %s --check-prefix=PLACE
// RUN: sed 's/ROWS/72/g; s/DEPTH/512/g; s/COLUMNS/128/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir | FileCheck %s --check-prefix=COPY
// RUN: sed 's/ROWS/32/g; s/DEPTH/512/g; s/COLUMNS/512/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir | FileCheck %s --check-prefix=PLACE
// RUN: sed 's/ROWS/32/g; s/DEPTH/2048/g; s/COLUMNS/2048/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir | FileCheck %s --check-prefix=COPY
// RUN: sed 's/ROWS/16/g; s/DEPTH/2048/g; s/COLUMNS/2048/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir | FileCheck %s --check-prefix=PLACE
// Registers of 512 bits read long pieces of it: up to 128 rows, but not where B is larger than that.
// RUN: sed 's/ROWS/49/g; s/DEPTH/512/g; s/COLUMNS/512/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir | FileCheck %s --check-prefix=PLACE
// RUN: sed 's/ROWS/49/g; s/DEPTH/4608/g; s/COLUMNS/512/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir | FileCheck %s --check-prefix=COPY
// PLACE: alternatives<"panels"> attributes {tune.default = 1
// COPY: alternatives<"panels"> attributes {tune.default = 0
func.func @main(%a: tensor<ROWSxDEPTHxf32>, %b: tensor<DEPTHxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  %r = linalg.matmul ins(%a, %b : tensor<ROWSxDEPTHxf32>, tensor<DEPTHxCOLUMNSxf32>)
      outs(%init : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  return %r : tensor<ROWSxCOLUMNSxf32>
}
