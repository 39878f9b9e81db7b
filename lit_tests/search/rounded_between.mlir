// RUN: rm -f %t.db
// RUN: tune-opt %s --tune-search="trials=3 db=%t.db report=plain" -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="not tuned" --implicit-check-not="no candidate worked"
// What is rounded to bf16 between a sum in f32 and a result in f32 may differ by a step of bf16: the
// check of a task allows for its coarsest type, not for that of its result alone.
// CHECK: tune-search: 3 trials, 3 of them new, 0 failed
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<64x256xf32>, %b: tensor<256x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %narrow = tensor.empty() : tensor<64x64xbf16>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%a, %b : tensor<64x256xf32>, tensor<256x64xf32>)
      outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<64x64xf32>) outs(%narrow : tensor<64x64xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %r = arith.truncf %x : f32 to bf16
    %e = math.erf %r : bf16
    %m = arith.mulf %e, %r : bf16
    linalg.yield %m : bf16
  } -> tensor<64x64xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rounded : tensor<64x64xbf16>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %r = arith.extf %x : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  return %wide : tensor<64x64xf32>
}
