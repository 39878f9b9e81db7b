// What outlines a module in stock MLIR makes the functions that schedules are for: independent ops in
// the order of a task, wherever they stand in the module, and each constant index where it is read.
// RUN: split-file %s %t
// RUN: tune-run %t/mask_last.mlir --db= --time=0.01 2>&1 | FileCheck %s
// RUN: tune-run %t/mask_first.mlir --db= --time=0.01 2>&1 | FileCheck %s
// RUN: tune-run %t/masks_of_two.mlir --db= --time=0.01 2>&1 | FileCheck %s
// RUN: tune-run %t/gathers.mlir --db= --time=0.01 2>&1 | FileCheck %s
// RUN: tune-opt %t/mask_last.mlir --tune-export-schedule -o %t/script.mlir
// RUN: mlir-opt %t/mask_last.mlir --transform-preload-library=transform-library-paths=%t/script.mlir --transform-interpreter -o /dev/null
// RUN: tune-opt %t/masks_of_two.mlir --tune-export-schedule -o %t/script.mlir
// RUN: mlir-opt %t/masks_of_two.mlir --transform-preload-library=transform-library-paths=%t/script.mlir --transform-interpreter -o /dev/null
// CHECK-NOT: is built by rule
// CHECK: Check {{ *}}ok

// The indices of a causal mask, which two operands read, stay an op of their own beside the product.
//--- mask_last.mlir
func.func @f(%q: tensor<2x64x32xf32>, %k: tensor<2x32x64xf32>) -> tensor<2x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x64x32xf32>, tensor<2x32x64xf32>)
      outs(%z : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %ei = tensor.empty() : tensor<64xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%ei : tensor<64xi64>) {
  ^bb0(%o: i64):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i64
    linalg.yield %c : i64
  } -> tensor<64xi64>
    %r = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m)>, affine_map<(b, m, n) -> (n)>,
                                        affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %i, %i : tensor<2x64x64xf32>, tensor<64xi64>, tensor<64xi64>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%x: f32, %m: i64, %n: i64, %o: f32):
    %c = arith.cmpi sge, %m, %n : i64
    %v = arith.select %c, %x, %zero : f32
    linalg.yield %v : f32
  } -> tensor<2x64x64xf32>
  return %r : tensor<2x64x64xf32>
}

// The same, with the mask before.
//--- mask_first.mlir
func.func @f(%q: tensor<2x64x32xf32>, %k: tensor<2x32x64xf32>) -> tensor<2x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %ei = tensor.empty() : tensor<64xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%ei : tensor<64xi64>) {
  ^bb0(%o: i64):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i64
    linalg.yield %c : i64
  } -> tensor<64xi64>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x64x32xf32>, tensor<2x32x64xf32>)
      outs(%z : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (m)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>,
                                        affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%i, %i, %s : tensor<64xi64>, tensor<64xi64>, tensor<2x64x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%m: i64, %n: i64, %x: f32, %o: f32):
    %c = arith.cmpi sge, %m, %n : i64
    %v = arith.select %c, %x, %zero : f32
    linalg.yield %v : f32
  } -> tensor<2x64x64xf32>
  return %r : tensor<2x64x64xf32>
}

// Two tasks of different sizes that each take a copy of one mask, as first and as second operand.
//--- masks_of_two.mlir
func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %d: tensor<64x48xf32>, %g: tensor<48x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
    %ei = tensor.empty() : tensor<64xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%ei : tensor<64xi64>) {
  ^bb0(%o: i64):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i64
    linalg.yield %c : i64
  } -> tensor<64xi64>
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>,
                                        affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i, %i, %s : tensor<64xi64>, tensor<64xi64>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%m: i64, %n: i64, %x: f32, %o: f32):
    %c = arith.cmpi sge, %m, %n : i64
    %v = arith.select %c, %x, %zero : f32
    linalg.yield %v : f32
  } -> tensor<64x64xf32>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = linalg.matmul ins(%d, %g : tensor<64x48xf32>, tensor<48x64xf32>)
      outs(%z2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>,
                                         affine_map<(m, n) -> (m, n)>],
                        iterator_types = ["parallel", "parallel"]}
      ins(%s2, %i, %i : tensor<64x64xf32>, tensor<64xi64>, tensor<64xi64>) outs(%e2 : tensor<64x64xf32>) {
  ^bb0(%x: f32, %m: i64, %n: i64, %o: f32):
    %c = arith.cmpi sge, %m, %n : i64
    %v = arith.select %c, %x, %zero : f32
    linalg.yield %v : f32
  } -> tensor<64x64xf32>
  return %r, %r2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Constant indices that bodies read: of two tasks, of the last op and of one before, and of one alone.
//--- gathers.mlir
func.func @f(%t: tensor<2x10x16xf32>, %i: tensor<8xi32>, %k: tensor<8xi32>, %x: tensor<8x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8xi32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %at = arith.index_cast %n : i32 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %t[%c0, %at, %column] : tensor<2x10x16xf32>
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
                                        affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%g, %x : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %row = linalg.index 0 : index
    %is = arith.cmpi eq, %row, %c0 : index
    %v = arith.select %is, %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<8xi32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %at = arith.index_cast %n : i32 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %t[%c0, %at, %column] : tensor<2x10x16xf32>
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  return %r, %h : tensor<8x16xf32>, tensor<8x16xf32>
}
