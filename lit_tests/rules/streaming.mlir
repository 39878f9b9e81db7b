// A large result is written past the caches, and no store says that it is aligned where it is not:
// blocks of 16 bytes begin at multiples of 16.
// RUN: tune-opt %s --tune-print-space="target=null task=transpose" -o %t.turned.mlir
// RUN: tune-worker --build %s --function=turned --schedule %t.turned.mlir --emit=scheduled \
// RUN:   --config=stores=streamed | FileCheck %s
// On 16 registers they go through the caches by default: a quarter of a line at a time would go to memory
// in pieces.
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v3 task=transpose" | FileCheck %s --check-prefix=PIECES
// PIECES: alternatives<"stores"> attributes {tune.default = 0
// CHECK-NOT: alignment = {{(32|64)}} : i64, nontemporal
// CHECK: vector.store {{.*}} {alignment = 16 : i64, nontemporal = true} : memref<4096x4096xi8>, vector<16xi8>
// CHECK-NOT: alignment = {{(32|64)}} : i64, nontemporal
// Columns of a result have no vectors to be written so.
// RUN: tune-opt %s --tune-print-space="target=null task=chain" 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: rule 'reduction'
// COLUMNS-NOT: nontemporal
func.func @turned(%x: tensor<4096x4096xi8>) -> tensor<4096x4096xi8> {
  %e = tensor.empty() : tensor<4096x4096xi8>
  %t = linalg.transpose ins(%x : tensor<4096x4096xi8>) outs(%e : tensor<4096x4096xi8>)
    permutation = [1, 0]
  return %t : tensor<4096x4096xi8>
}

func.func @shares(%x: tensor<64x512x256xf32>) -> tensor<64x256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<64x512x256xf32>) outs(%f : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %q = arith.addf %p, %o : f32
      linalg.yield %q : f32
  } -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x256x512xf32>
  %share = linalg.generic {
      indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a)>,
                       affine_map<(a, b, c) -> (a, c, b)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<64x512x256xf32>, tensor<64xf32>)
      outs(%e2 : tensor<64x256x512xf32>) {
    ^bb0(%p: f32, %r: f32, %o: f32):
      %q = arith.divf %p, %r : f32
      linalg.yield %q : f32
  } -> tensor<64x256x512xf32>
  return %share : tensor<64x256x512xf32>
}
