func.func @f(%A: tensor<48x48xf16>, %B: tensor<48x48xf16>) -> (tensor<48x48xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x48xf32>
  %C = linalg.fill ins(%z : f32) outs(%e : tensor<48x48xf32>) -> tensor<48x48xf32>
  %m = linalg.generic {indexing_maps=[affine_map<(d0,d1,d2)->(d0, d2)>, affine_map<(d0,d1,d2)->(d2, d1)>, affine_map<(d0,d1,d2)->(d0,d1)>], iterator_types=["parallel","parallel","reduction"]} ins(%A, %B : tensor<48x48xf16>, tensor<48x48xf16>) outs(%C : tensor<48x48xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %p = arith.mulf %xe, %ye : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<48x48xf32>
  %eo = tensor.empty() : tensor<48x48xf32>
  %r = linalg.generic {indexing_maps=[affine_map<(d0,d1)->(d0,d1)>, affine_map<(d0,d1)->(d0,d1)>], iterator_types=["parallel","parallel"]} ins(%m : tensor<48x48xf32>) outs(%eo : tensor<48x48xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %x0 = linalg.index 0 : index
    %y0 = linalg.index 1 : index
    %c = arith.cmpi ule, %y0, %x0 : index
    %z0 = arith.constant -1.0 : f32
    %w = arith.select %c, %i0, %z0 : f32
    linalg.yield %w : f32
  } -> tensor<48x48xf32>
  return %r : tensor<48x48xf32>
}
