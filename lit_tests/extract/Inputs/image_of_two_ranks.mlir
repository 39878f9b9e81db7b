func.func @f(%a0: tensor<1x48x48x48xf32>, %a1: tensor<48x17x17xf32> {tune.constant}, %a2: tensor<512x2304x17xf32> {tune.constant}) -> (tensor<1x48xf32>, tensor<1x512xf32>) {
%v3 = arith.constant 0.0 : f32
%v1 = tensor.empty() : tensor<1x48x32x32xf32>
%v2 = linalg.fill ins(%v3 : f32) outs(%v1 : tensor<1x48x32x32xf32>) -> tensor<1x48x32x32xf32>
%v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a0, %a1 : tensor<1x48x48x48xf32>, tensor<48x17x17xf32>) outs(%v2 : tensor<1x48x32x32xf32>) {
 ^bb0(%x4: f32, %y4: f32, %o4: f32):
%m4 = arith.mulf %x4, %y4 : f32
%s4 = arith.addf %m4, %o4 : f32
linalg.yield %s4 : f32
} -> tensor<1x48x32x32xf32>
%v7 = arith.constant 0.0 : f32
%v5 = tensor.empty() : tensor<1x48xf32>
%v6 = linalg.fill ins(%v7 : f32) outs(%v5 : tensor<1x48xf32>) -> tensor<1x48xf32>
%v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%v4 : tensor<1x48x32x32xf32>) outs(%v6 : tensor<1x48xf32>) {
 ^bb0(%i8: f32, %o8: f32):
 %s8 = arith.addf %i8, %o8 : f32
 linalg.yield %s8 : f32
 } -> tensor<1x48xf32>
%v9 = tensor.collapse_shape %a0 [[0], [1, 2], [3]] : tensor<1x48x48x48xf32> into tensor<1x2304x48xf32>
%v12 = arith.constant 0.0 : f32
%v10 = tensor.empty() : tensor<1x512x32xf32>
%v11 = linalg.fill ins(%v12 : f32) outs(%v10 : tensor<1x512x32xf32>) -> tensor<1x512x32xf32>
%v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v9, %a2 : tensor<1x2304x48xf32>, tensor<512x2304x17xf32>) outs(%v11 : tensor<1x512x32xf32>) {
 ^bb0(%x13: f32, %y13: f32, %o13: f32):
%m13 = arith.mulf %x13, %y13 : f32
%s13 = arith.addf %m13, %o13 : f32
linalg.yield %s13 : f32
} -> tensor<1x512x32xf32>
%v16 = arith.constant 0.0 : f32
%v14 = tensor.empty() : tensor<1x512xf32>
%v15 = linalg.fill ins(%v16 : f32) outs(%v14 : tensor<1x512xf32>) -> tensor<1x512xf32>
%v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v13 : tensor<1x512x32xf32>) outs(%v15 : tensor<1x512xf32>) {
 ^bb0(%i17: f32, %o17: f32):
 %s17 = arith.addf %i17, %o17 : f32
 linalg.yield %s17 : f32
 } -> tensor<1x512xf32>
return %v8, %v17 : tensor<1x48xf32>, tensor<1x512xf32>
}
