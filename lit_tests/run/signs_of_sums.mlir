// Whether a sum is above zero is a matter of its roundings where its terms nearly cancel, and what
// follows makes much of that. Inputs that are moved one way by chance, and back, may not show it: they
// are moved several ways (tools/tune-measure/reference.c). generate.py 41935, without what is not used.
// RUN: tune-run %s --db= --strict --time=0.001 | FileCheck %s
// CHECK: Check ok

func.func @signs(%a0: tensor<96xf32>, %a1: tensor<3x6x23x2x3xbf16>, %a2: tensor<2x17x3x3x3xbf16>, %a3: tensor<3x7x2xbf16>) -> (tensor<3x2x7x2x17xbf16>) {
  %c5 = arith.constant 0.0 : bf16
  %c6 = arith.constant 0 : index
  %c7 = arith.constant 2 : index
  %c8 = arith.constant 1 : index
  %c10 = arith.constant 0.5 : bf16
  %v11 = tensor.empty() : tensor<3x2x7x2x17xbf16>
  %v12 = linalg.fill ins(%c5 : bf16) outs(%v11 : tensor<3x2x7x2x17xbf16>) -> tensor<3x2x7x2x17xbf16>
  %v13 = linalg.conv_2d_nhwgc_gfhwc {strides = dense<[1, 3]> : tensor<2xi64>, dilations = dense<[2, 2]> : tensor<2xi64>} ins(%a1, %a2 : tensor<3x6x23x2x3xbf16>, tensor<2x17x3x3x3xbf16>) outs(%v12 : tensor<3x2x7x2x17xbf16>) -> tensor<3x2x7x2x17xbf16>
  %v14 = scf.for %i14 = %c6 to %c7 step %c8 iter_args(%r14 = %v13) -> (tensor<3x2x7x2x17xbf16>) {
    %v15 = tensor.empty() : tensor<3x2x7x2x17xbf16>
    %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
        ins(%r14 : tensor<3x2x7x2x17xbf16>)
        outs(%v15 : tensor<3x2x7x2x17xbf16>) {
      ^bb0(%s15_0: bf16, %s15_1: bf16):
        %v17 = arith.addf %s15_0, %s15_0 : bf16
        %v18 = arith.cmpf ogt, %v17, %s15_0 : bf16
        %v19 = arith.select %v18, %v17, %c10 : bf16
        %v20 = arith.mulf %v19, %c10 : bf16
        %v21 = arith.mulf %v20, %c10 : bf16
        linalg.yield %v21 : bf16
    } -> tensor<3x2x7x2x17xbf16>
    scf.yield %v16 : tensor<3x2x7x2x17xbf16>
  }
  %v22 = tensor.empty() : tensor<3x2x7x2x17xbf16>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v14, %a3 : tensor<3x2x7x2x17xbf16>, tensor<3x7x2xbf16>)
      outs(%v22 : tensor<3x2x7x2x17xbf16>) {
    ^bb0(%s22_0: bf16, %s22_1: bf16, %s22_2: bf16):
      %v24 = arith.mulf %s22_0, %c10 : bf16
      %v25 = math.tanh %v24 : bf16
      linalg.yield %v25 : bf16
  } -> tensor<3x2x7x2x17xbf16>
  return %v23 : tensor<3x2x7x2x17xbf16>
}
