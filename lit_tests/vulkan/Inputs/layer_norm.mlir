func.func @main(%x: tensor<24x40xf32>, %g: tensor<40xf32>) -> tensor<24x40xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<24xf32>
  %e2 = tensor.empty() : tensor<24x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<24xf32>) -> tensor<24xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]} ins(%x : tensor<24x40xf32>) outs(%f : tensor<24xf32>) { ^bb0(%a: f32, %o: f32): %t = arith.addf %a, %o : f32  linalg.yield %t : f32 } -> tensor<24xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%x, %s : tensor<24x40xf32>, tensor<24xf32>) outs(%e2 : tensor<24x40xf32>) { ^bb0(%a: f32, %m: f32, %o: f32): %t = arith.divf %m, %n : f32  %u = arith.subf %a, %t : f32 linalg.yield %u : f32 } -> tensor<24x40xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]} ins(%c : tensor<24x40xf32>) outs(%f : tensor<24xf32>) { ^bb0(%a: f32, %o: f32): %q = arith.mulf %a, %a : f32 %t = arith.addf %q, %o : f32  linalg.yield %t : f32 } -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%c, %v, %g : tensor<24x40xf32>, tensor<24xf32>, tensor<40xf32>) outs(%e2 : tensor<24x40xf32>) { ^bb0(%a: f32, %m: f32, %w: f32, %o: f32): %t = arith.divf %m, %n : f32  %u = arith.addf %t, %eps : f32 %k = math.rsqrt %u : f32 %l = arith.mulf %a, %k : f32 %h = arith.mulf %l, %w : f32 linalg.yield %h : f32 } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}
