func.func @f(%a0: tensor<1x4x106x512xf32>, %a1: tensor<4x11x11xf32> {tune.constant}, %a2: tensor<1x4x64x598xf32>, %a3: tensor<4x96x64x97xf32> {tune.constant}) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
%v3 = arith.constant 0.0 : f32
%v1 = tensor.empty() : tensor<1x4x96x502xf32>
%v2 = linalg.fill ins(%v3 : f32) outs(%v1 : tensor<1x4x96x502xf32>) -> tensor<1x4x96x502xf32>
%v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a0, %a1 : tensor<1x4x106x512xf32>, tensor<4x11x11xf32>) outs(%v2 : tensor<1x4x96x502xf32>) {
 ^bb0(%x4: f32, %y4: f32, %o4: f32):
%m4 = arith.mulf %x4, %y4 : f32
%s4 = arith.addf %m4, %o4 : f32
linalg.yield %s4 : f32
} -> tensor<1x4x96x502xf32>
%v7 = arith.constant 0.0 : f32
%v5 = tensor.empty() : tensor<1x4xf32>
%v6 = linalg.fill ins(%v7 : f32) outs(%v5 : tensor<1x4xf32>) -> tensor<1x4xf32>
%v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%v4 : tensor<1x4x96x502xf32>) outs(%v6 : tensor<1x4xf32>) {
 ^bb0(%i8: f32, %o8: f32):
 %s8 = arith.addf %i8, %o8 : f32
 linalg.yield %s8 : f32
 } -> tensor<1x4xf32>
%v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 + d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a2, %a3 : tensor<1x4x64x598xf32>, tensor<4x96x64x97xf32>) outs(%v2 : tensor<1x4x96x502xf32>) {
 ^bb0(%x9: f32, %y9: f32, %o9: f32):
%m9 = arith.mulf %x9, %y9 : f32
%s9 = arith.addf %m9, %o9 : f32
linalg.yield %s9 : f32
} -> tensor<1x4x96x502xf32>
%v12 = arith.constant 0.0 : f32
%v10 = tensor.empty() : tensor<1x4xf32>
%v11 = linalg.fill ins(%v12 : f32) outs(%v10 : tensor<1x4xf32>) -> tensor<1x4xf32>
%v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%v9 : tensor<1x4x96x502xf32>) outs(%v11 : tensor<1x4xf32>) {
 ^bb0(%i13: f32, %o13: f32):
 %s13 = arith.addf %i13, %o13 : f32
 linalg.yield %s13 : f32
 } -> tensor<1x4xf32>
return %v8, %v13 : tensor<1x4xf32>, tensor<1x4xf32>
}
