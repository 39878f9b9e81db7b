// With threads the images of a batch are shared by them: the loop has `tune.threads`, and what is in
// it is for one thread. What is packed of constants in it is packed once, before the loop.
// RUN: tune-opt %s --tune-extract="remarks=none threads=2" | FileCheck %s
// RUN: tune-opt %s --tune-extract="remarks=none" | FileCheck %s --check-prefix=ONE
// RUN: tune-opt %s --tune-extract="remarks=none threads=64" | FileCheck %s --check-prefix=MANY
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefixes=OK,BLOCKS
// RUN: tune-run %s --function=positions --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefixes=OK
// RUN: tune-run %s --function=positions --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK
// RUN: tune-run %s --function=crossing --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefixes=OK
// RUN: tune-run %s --function=positions --db= --time=0.01 --format=json | FileCheck %s --check-prefix=PACKS
// RUN: tune-run %s --function=positions --db= --time=0.01 --format=json --threads=2 | FileCheck %s --check-prefix=PACKS
// OK: Check {{ *}}ok
// BLOCKS: Memory in between
// PACKS: "packs_ahead": true

// The threads take whole images: the loop is theirs, and calls tasks; none is begun for a task's own.
// RUN: tune-opt %s --tune-lower="threads=2" | FileCheck %s --check-prefix=PARALLEL
// PARALLEL: llvm.func @positions(
// PARALLEL: omp.parallel
// PARALLEL-NEXT: omp.wsloop
// PARALLEL: llvm.call @tune_task
// PARALLEL: llvm.func @crossing(

#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
// CHECK-LABEL: func.func @network(
// CHECK: scf.for {{.*}} -> (tensor<16x32x64x64xf32>)
// CHECK: } {tune.threads}
// ONE-LABEL: func.func @network(
// ONE: scf.for
// ONE-NOT: tune.threads
// MANY-LABEL: func.func @network(
// MANY-NOT: scf.for
func.func @network(%x: tensor<16x8x64x64xf32>, %a: tensor<32x8x3x3xf32> {tune.constant},
    %b: tensor<32x32x3x3xf32> {tune.constant}) -> tensor<16x32x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<16x8x64x64xf32> to tensor<16x8x66x66xf32>
  %e = tensor.empty() : tensor<16x32x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  %c0 = linalg.conv_2d_nchw_fchw ins(%p0, %a : tensor<16x8x66x66xf32>, tensor<32x8x3x3xf32>) outs(%f : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  %p1 = tensor.pad %c0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<16x32x64x64xf32> to tensor<16x32x66x66xf32>
  %c1 = linalg.conv_2d_nchw_fchw ins(%p1, %b : tensor<16x32x66x66xf32>, tensor<32x32x3x3xf32>) outs(%f : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  return %c1 : tensor<16x32x64x64xf32>
}

// What is made of no image, and has a part for each, is read by parts, as an argument is.
#all = affine_map<(n, y, c) -> (n, y, c)>
// Fewer turns than threads are not theirs.
// MANY-LABEL: func.func @positions(
// MANY: scf.for
// MANY-NOT: tune.threads
// CHECK-LABEL: func.func @positions(
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK-DAG: tensor.extract_slice %{{[0-9]+}}[%{{.*}}, 0, 0] [2, 16, 64]
// CHECK-DAG: tensor.extract_slice %arg0[%{{.*}}, 0, 0] [2, 16, 64]
// CHECK: } {tune.threads}
func.func @positions(%x: tensor<8x16x64xf32>, %where: tensor<8x16x64xf32> {tune.constant},
    %a: tensor<64x96xf32> {tune.constant}, %b: tensor<96x64xf32> {tune.constant}) -> tensor<8x16x64xf32> attributes {tune.images_at_once = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16x64xf32>
  %twice = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%where : tensor<8x16x64xf32>) outs(%e : tensor<8x16x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<8x16x64xf32>
  %0 = linalg.add ins(%x, %twice : tensor<8x16x64xf32>, tensor<8x16x64xf32>) outs(%e : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %e1 = tensor.empty() : tensor<8x16x96xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x16x96xf32>) -> tensor<8x16x96xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>] ins(%0, %a : tensor<8x16x64xf32>, tensor<64x96xf32>) outs(%f1 : tensor<8x16x96xf32>) -> tensor<8x16x96xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %2 = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>] ins(%1, %b : tensor<8x16x96xf32>, tensor<96x64xf32>) outs(%f2 : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  return %2 : tensor<8x16x64xf32>
}

// What several layers leave is read behind the loop; so is memory that was read before it.
// CHECK-LABEL: func.func @crossing(
// CHECK: scf.for {{.*}} -> (tensor<256x64xf32>, tensor<256x64xf32>)
// CHECK: } {tune.threads}
func.func @crossing(%x: tensor<256x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<256x64xf32>, tensor<256x64xf32>) attributes {tune.images_at_once = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x64xf32>) -> tensor<256x64xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<256x64xf32>, tensor<64x64xf32>) outs(%f : tensor<256x64xf32>) -> tensor<256x64xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<256x64xf32>, tensor<64x64xf32>) outs(%f : tensor<256x64xf32>) -> tensor<256x64xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%0, %1 : tensor<256x64xf32>, tensor<256x64xf32>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.matmul ins(%1, %g : tensor<256x64xf32>, tensor<64x64xf32>) outs(%f : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %2, %0 : tensor<256x64xf32>, tensor<256x64xf32>
}
