// Products of sizes known at run time only, or less a zero point, are no chains over rows: what they
// read by columns would be read again for each row, element by element.
// RUN: tune-opt %s --tune-print-space=target=null -o /dev/null 2>&1 | FileCheck %s
// RUN: tune-run %s --function=open --dynamic=40 --db= --strict --time=0.001 | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --function=zero_points --db= --strict --time=0.001 | FileCheck %s --check-prefix=CORRECT
// CHECK: matmul ?x?x127 f32 +bias
// CHECK-NEXT: rule 'general'
// CHECK: sum 24x96 over 64 i8->i32
// CHECK-NEXT: rule 'general'
// A norm of rows is one.
// CHECK: rule 'reduction'
// CORRECT: Check {{ *}}ok
func.func @open(%a: tensor<?x127xf32>, %b: tensor<127x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x127xf32>
  %n = tensor.dim %b, %c1 : tensor<127x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x127xf32>, tensor<127x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%r, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
func.func @zero_points(%a: tensor<24x64xi8>, %b: tensor<64x96xi8>, %za: i32, %zb: i32) -> tensor<24x96xi8> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<24x96xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<24x96xi32>) -> tensor<24x96xi32>
  %m = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<24x64xi8>, tensor<64x96xi8>, i32, i32) outs(%f : tensor<24x96xi32>) -> tensor<24x96xi32>
  %o = tensor.empty() : tensor<24x96xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%m : tensor<24x96xi32>) outs(%o : tensor<24x96xi8>) {
  ^bb0(%x: i32, %q: i8):
    %c = arith.constant 7 : i32
    %1 = arith.shrsi %x, %c : i32
    %2 = arith.trunci %1 : i32 to i8
    linalg.yield %2 : i8
  } -> tensor<24x96xi8>
  return %r : tensor<24x96xi8>
}
func.func @norm(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}
