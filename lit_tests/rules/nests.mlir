// Nests that no other rule takes are loops of vectors: pooling along its channels, or along lines
// with a stride; the place of the largest in squares that are turned in registers; sums of lines
// that results stay in the cache for; several results at once; bits; rows by indices.
// RUN: tune-opt %s --tune-print-space=target=null -o %t.mlir 2>&1 | FileCheck %s --check-prefix=RULE --implicit-check-not="rule '"
// RUN: tune-opt %s --tune-lower="target=null" | FileCheck %s
// RUN: tune-run %s --function=all --db= --time=0.01 --strict | FileCheck %s --check-prefix=CORRECT
// RULE-COUNT-6: rule 'general'
// CORRECT: Check {{ *}}ok

// CHECK-LABEL: llvm.func @tune_task_0
// CHECK: llvm.intr.maximum{{.*}} -> vector<16xf32>
func.func @pool(%x: tensor<1x9x9x37xf32>) -> tensor<1x4x4x37xf32> {
  %least = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x4x4x37xf32>
  %s = linalg.fill ins(%least : f32) outs(%e : tensor<1x4x4x37xf32>) -> tensor<1x4x4x37xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%x, %window : tensor<1x9x9x37xf32>, tensor<3x3xf32>) outs(%s : tensor<1x4x4x37xf32>) -> tensor<1x4x4x37xf32>
  return %r : tensor<1x4x4x37xf32>
}

// Two vectors on end, and every second element of them.
// CHECK-LABEL: llvm.func @tune_task_1
// CHECK: llvm.shufflevector {{.*}} [0, 2, 4, 6, 8, 10, 12, 14,
// CHECK: llvm.intr.maximum{{.*}} -> vector<16xf32>
func.func @pool_lines(%x: tensor<1x3x9x67xf32>) -> tensor<1x3x4x33xf32> {
  %least = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x3x4x33xf32>
  %s = linalg.fill ins(%least : f32) outs(%e : tensor<1x3x4x33xf32>) -> tensor<1x3x4x33xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
    ins(%x, %window : tensor<1x3x9x67xf32>, tensor<3x3xf32>) outs(%s : tensor<1x3x4x33xf32>) -> tensor<1x3x4x33xf32>
  return %r : tensor<1x3x4x33xf32>
}

// CHECK-LABEL: llvm.func @tune_task_2
// CHECK: llvm.shufflevector {{.*}} [0, 16, 2, 18, 4, 20,
// CHECK: llvm.fcmp "ogt" {{.*}} : vector<16xf32>
// CHECK: llvm.select {{.*}} : vector<16xi1>, vector<16xi64>
func.func @place(%x: tensor<20x50xf32>) -> tensor<20xi64> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<20xf32>
  %e1 = tensor.empty() : tensor<20xi64>
  %s0 = linalg.fill ins(%least : f32) outs(%e0 : tensor<20xf32>) -> tensor<20xf32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<20xi64>) -> tensor<20xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x50xf32>) outs(%s0, %s1 : tensor<20xf32>, tensor<20xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %c, %in, %best : f32
    %k = arith.select %c, %j, %at : i64
    linalg.yield %v, %k : f32, i64
  } -> (tensor<20xf32>, tensor<20xi64>)
  return %r#1 : tensor<20xi64>
}

// CHECK-LABEL: llvm.func @tune_task_3
// CHECK: llvm.fadd {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.store
func.func @sum(%x: tensor<3x20x333xf32>) -> tensor<3x333xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x333xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<3x333xf32>) -> tensor<3x333xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, c)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<3x20x333xf32>) outs(%s : tensor<3x333xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %out, %in : f32
    linalg.yield %t : f32
  } -> tensor<3x333xf32>
  return %r : tensor<3x333xf32>
}

// CHECK-LABEL: llvm.func @tune_task_4
// CHECK: llvm.load {{.*}} -> vector<64xi8>
// CHECK: llvm.or {{.*}} : vector<64xi1>
// CHECK: llvm.intr.vector.reduce.or
func.func @any(%x: tensor<6x150xi1>) -> tensor<6xi1> {
  %no = arith.constant false
  %e = tensor.empty() : tensor<6xi1>
  %s = linalg.fill ins(%no : i1) outs(%e : tensor<6xi1>) -> tensor<6xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x150xi1>) outs(%s : tensor<6xi1>) {
  ^bb0(%in: i1, %out: i1):
    %t = arith.ori %out, %in : i1
    linalg.yield %t : i1
  } -> tensor<6xi1>
  return %r : tensor<6xi1>
}

// CHECK-LABEL: llvm.func @tune_task_5
// CHECK: llvm.load {{.*}} -> vector<16xf32>
func.func @rows(%table: tensor<50x64xf32>, %i: tensor<12xi32>) -> tensor<12x64xf32> {
  %e = tensor.empty() : tensor<12x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<12xi32>) outs(%e : tensor<12x64xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %table[%0, %1] : tensor<50x64xf32>
    linalg.yield %2 : f32
  } -> tensor<12x64xf32>
  return %r : tensor<12x64xf32>
}

func.func @all(%p: tensor<1x9x9x37xf32>, %q: tensor<1x3x9x67xf32>, %a: tensor<20x50xf32>, %x: tensor<3x20x333xf32>, %b: tensor<6x150xi1>, %table: tensor<50x64xf32>, %i: tensor<12xi32>)
    -> (tensor<1x4x4x37xf32>, tensor<1x3x4x33xf32>, tensor<20xi64>, tensor<3x333xf32>, tensor<6xi1>, tensor<12x64xf32>) {
  %0 = call @pool(%p) : (tensor<1x9x9x37xf32>) -> tensor<1x4x4x37xf32>
  %1 = call @pool_lines(%q) : (tensor<1x3x9x67xf32>) -> tensor<1x3x4x33xf32>
  %2 = call @place(%a) : (tensor<20x50xf32>) -> tensor<20xi64>
  %3 = call @sum(%x) : (tensor<3x20x333xf32>) -> tensor<3x333xf32>
  %4 = call @any(%b) : (tensor<6x150xi1>) -> tensor<6xi1>
  %5 = call @rows(%table, %i) : (tensor<50x64xf32>, tensor<12xi32>) -> tensor<12x64xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x4x4x37xf32>, tensor<1x3x4x33xf32>, tensor<20xi64>, tensor<3x333xf32>, tensor<6xi1>, tensor<12x64xf32>
}
