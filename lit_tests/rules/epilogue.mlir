// The epilogue of a product is right wherever it is put, also where columns and rows fill no tile,
// and it is not put where the sums are not ready.
// RUN: tune-run %s --db= --time=0.01 --config=mr=7,epilogue=register_tile | FileCheck %s
// RUN: tune-run %s --db= --time=0.01 --config=mr=7,epilogue=outer_tile | FileCheck %s
// RUN: tune-run %s --db= --time=0.01 --config=mr=7,epilogue=apart | FileCheck %s
// RUN: tune-run %s --db= --time=0.01 --config=mr=7,epilogue=outer_tile,depth_split=split | FileCheck %s
// RUN: tune-run %s --db= --time=0.01 --config=mr=7,epilogue=apart,depth_split=split | FileCheck %s
// RUN: not tune-run %s --db= --config=mr=7,epilogue=register_tile,depth_split=split 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SUMS
// CHECK: Check {{ *}}ok
// SUMS: sums over a split depth are not ready in the register tile
// What is apart is another loop.
// RUN: tune-opt %s --tune-print-space -o %t.mlir
// RUN: tune-worker --build %s --schedule %t.mlir --config mc=32,epilogue=apart --emit=scheduled \
// RUN:   | FileCheck %s --check-prefix=APART
// APART-COUNT-2: scf.forall
// RUN: tune-worker --build %s --schedule %t.mlir --config mc=32,epilogue=outer_tile --emit=scheduled \
// RUN:   | FileCheck %s --check-prefix=FUSED
// FUSED: scf.forall
// FUSED-NOT: scf.forall
func.func @linear(%a: tensor<96x256xf32>, %b: tensor<50x256xf32>, %bias: tensor<50xf32>)
    -> tensor<96x50xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x50xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<96x50xf32>) -> tensor<96x50xf32>
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                      affine_map<(m, n, k) -> (n, k)>,
                                      affine_map<(m, n, k) -> (m, n)>]
                     {tune.choices = {rule = "contraction"}}
                     ins(%a, %b : tensor<96x256xf32>, tensor<50x256xf32>)
                     outs(%init : tensor<96x50xf32>) -> tensor<96x50xf32>
  %wide = linalg.broadcast ins(%bias : tensor<50xf32>) outs(%empty : tensor<96x50xf32>)
      dimensions = [0]
  %sum = linalg.add ins(%c, %wide : tensor<96x50xf32>, tensor<96x50xf32>)
                    outs(%empty : tensor<96x50xf32>) -> tensor<96x50xf32>
  return %sum : tensor<96x50xf32>
}
