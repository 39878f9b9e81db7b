// Lanes that are masked off read zeroes, which nothing is divided by: SIGFPE otherwise.
// RUN: tune-run %s --strict --time=0.01 --db= | FileCheck %s
// CHECK: Check {{ *}}ok
func.func @main(%a: tensor<64x33xi32>, %b: tensor<64x33xi32>) -> tensor<64x33xi32> {
  %e = tensor.empty() : tensor<64x33xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<64x33xi32>, tensor<64x33xi32>) outs(%e : tensor<64x33xi32>) {
    ^bb0(%x: i32, %y: i32, %_: i32):
      %q = arith.divsi %x, %y : i32
      linalg.yield %q : i32
  } -> tensor<64x33xi32>
  return %r : tensor<64x33xi32>
}
