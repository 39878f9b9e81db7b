// Tiles of one vector are taller than those of several: 12 rows, or what loses least at the end.
// RUN: sed 's/ROWS/100/g; s/COLUMNS/56/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=TALL
// RUN: tune-run %t.mlir --target=cpu:x86-64-v3 --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/ROWS/49/g; s/COLUMNS/368/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=REST
// RUN: tune-run %t.mlir --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: sed 's/ROWS/200/g; s/COLUMNS/384/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=PAIRS
// Tiles of columns that are no power of two of vectors, in pieces.
// RUN: sed 's/ROWS/100/g; s/COLUMNS/24/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v3 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: tune-run %t.mlir --target=cpu:x86-64-v3 --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %t.mlir --target=cpu:x86-64-v3 --db= --emit=llvm -o %t.ll
// RUN: FileCheck %s --check-prefix=PIECES --input-file=%t.ll
// RUN: sed 's/ROWS/100/g; s/COLUMNS/40/g' %s > %t.mlir
// RUN: tune-opt --tune-print-space=target=cpu:x86-64-v4 %t.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORTY
// RUN: tune-run %t.mlir --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// THREE: mr {{ *}}vector {{ *}}4 {{.*}}
// THREE-NEXT: nr {{ *}}vector {{ *}}24 {{.*}}
// PIECES: phi <16 x float>
// PIECES: phi <8 x float>
// PIECES-NOT: <24 x float>
// FORTY: mr {{ *}}vector {{ *}}8 {{.*}}
// FORTY-NEXT: nr {{ *}}vector {{ *}}40 {{.*}}
// TALL: mr {{ *}}vector {{ *}}12 {{.*}}
// TALL-NEXT: nr {{ *}}vector {{ *}}8 {{.*}}
// REST: mr {{ *}}vector {{ *}}10 {{.*}}
// REST-NEXT: nr {{ *}}vector {{ *}}16 {{.*}}
// PAIRS: mr {{ *}}vector {{ *}}8 {{.*}}
// PAIRS-NEXT: nr {{ *}}vector {{ *}}32 {{.*}}
// OK: Check {{ *}}ok
func.func @main(%a: tensor<ROWSx100xf32>, %b: tensor<100xCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  %r = linalg.matmul ins(%a, %b : tensor<ROWSx100xf32>, tensor<100xCOLUMNSxf32>)
      outs(%init : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  return %r : tensor<ROWSxCOLUMNSxf32>
}
