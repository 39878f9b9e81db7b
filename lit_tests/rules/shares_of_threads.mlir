// By default threads have alike parts of a product: of the rows, where columns do not divide as well.
// DEFINE: %{tile} = tune-opt --tune-print-space="target=cpu:x86-64-v4 threads=2" %t.mlir 2>&1
// RUN: sed 's/ROWS/784/g; s/COLUMNS/192/g' %s > %t.mlir
// RUN: %{tile} | FileCheck %s -DMC=784 -DNC=96 --check-prefixes=CHECK,ODD
// RUN: sed 's/ROWS/512/g; s/COLUMNS/512/g' %s > %t.mlir
// RUN: %{tile} | FileCheck %s -DMC=512 -DNC=256
// RUN: sed 's/ROWS/3136/g; s/COLUMNS/24/g' %s > %t.mlir
// RUN: %{tile} | FileCheck %s -DMC=1568 -DNC=24
// An odd number of register tiles: one has a tile more than the other, which may not be wider then.
// RUN: sed 's/ROWS/49/g; s/COLUMNS/160/g' %s > %t.mlir
// RUN: %{tile} | FileCheck %s -DMC=49 -DNC=32
// CHECK: mc {{ *}}linalg {{ *}}[[MC]]
// CHECK: nc {{ *}}linalg {{ *}}[[NC]]
// ODD: a tile of nc columns is made of whole register tiles: nc == 192 || nc % nr == 0
// RUN: tune-run %t.mlir --db= --threads=2 --strict --check --time=0.01 | FileCheck %s --check-prefix=RAN
// RAN: Check {{ *}}ok

func.func @main(%a: tensor<ROWSx64xf32>, %b: tensor<64xCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  %c = linalg.matmul ins(%a, %b : tensor<ROWSx64xf32>, tensor<64xCOLUMNSxf32>)
      outs(%init : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
  return %c : tensor<ROWSxCOLUMNSxf32>
}

// Of a vector times a matrix each thread has a part of the columns, though no block that is otherwise divides them so.
// RUN: sed 's/linalg.vecmat/linalg.vecmat {tune.choices = {rule = "reduction"}}/' %S/Inputs/matvec_768.mlir > %t.mlir
// RUN: tune-opt --tune-print-space="target=cpu:x86-64-v4 threads=2" %t.mlir 2>&1 | FileCheck %s --check-prefix=PART
// RUN: tune-run %t.mlir --db= --threads=2 --strict --check --time=0.01 | FileCheck %s --check-prefix=RAN
// PART: rule 'reduction'
// PART: block {{ *}}linalg {{ *}}384 {{.*}}256, 384, 768
