// A task of which all operands are constant, as the factors of a batch norm, is done once, ahead; one
// that has another operand too, or that is called with another, is not.
// RUN: tune-run %s --function=norm --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,AHEAD
// RUN: tune-run %s --function=norm --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefixes=OK,AHEAD
// OK: Check {{ *}}ok
// AHEAD: Packed ahead
// RUN: tune-run %s --function=norm --db= --emit=llvm -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=CODE
// CODE: define {{.*}}@norm(
// CODE-COUNT-1: call void @tune_task_{{[0-9]+}}(
// CODE-NOT: call void @tune_task_{{[0-9]+}}(
// CODE: define {{.*}}@tune_prepack(
// CODE: call void @tune_task_{{[0-9]+}}(
// CODE: }

// What the function is called with twice is constant in one of the calls alone.
// RUN: tune-run %s --function=both --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
func.func @norm(%x: tensor<64x256xf32>, %w: tensor<256x128xf32> {tune.constant},
                %var: tensor<128xf32> {tune.constant}) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<128xf32>
  %factor = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%var : tensor<128xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %v, %v : f32
    %s = arith.addf %p, %eps : f32
    %r = math.rsqrt %s : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %i = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64x128xf32>) -> tensor<64x128xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x256xf32>, tensor<256x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%m, %factor : tensor<64x128xf32>, tensor<128xf32>) outs(%i : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<64x128xf32>
  return %n : tensor<64x128xf32>
}
func.func @both(%x: tensor<1024xf32>, %c: tensor<1024xf32> {tune.constant}) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %e = tensor.empty() : tensor<1024xf32>
  %0 = linalg.exp ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %1 = linalg.exp ins(%c : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  return %0, %1 : tensor<1024xf32>, tensor<1024xf32>
}
