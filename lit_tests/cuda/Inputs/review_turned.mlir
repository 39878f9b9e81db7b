func.func @f(%A: tensor<32x48xbf16>, %B: tensor<48x64xbf16>) -> (tensor<64x32xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %C = linalg.fill ins(%z : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m = linalg.generic {indexing_maps=[affine_map<(d0,d1,d2)->(d0, d2)>, affine_map<(d0,d1,d2)->(d2, d1)>, affine_map<(d0,d1,d2)->(d0,d1)>], iterator_types=["parallel","parallel","reduction"]} ins(%A, %B : tensor<32x48xbf16>, tensor<48x64xbf16>) outs(%C : tensor<32x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<32x64xf32>
  %eo = tensor.empty() : tensor<64x32xf32>
  %r = linalg.generic {indexing_maps=[affine_map<(d0,d1)->(d1,d0)>, affine_map<(d0,d1)->(d0,d1)>], iterator_types=["parallel","parallel"]} ins(%m : tensor<32x64xf32>) outs(%eo : tensor<64x32xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %w = arith.addf %i0, %i0 : f32
    linalg.yield %w : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
