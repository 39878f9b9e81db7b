func.func @f(%x: tensor<8x64x256xf32>, %w: tensor<256x256xf32>, %b: tensor<256xf32>) -> tensor<64x8x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2,d3)->(d0,d1,d3)>, affine_map<(d0,d1,d2,d3)->(d3,d2)>, affine_map<(d0,d1,d2,d3)->(d0,d1,d2)>], iterator_types=["parallel","parallel","parallel","reduction"]} ins(%x, %w : tensor<8x64x256xf32>, tensor<256x256xf32>) outs(%f : tensor<8x64x256xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %n = arith.addf %d, %m : f32
    linalg.yield %n : f32
  } -> tensor<8x64x256xf32>
  %e2 = tensor.empty() : tensor<64x8x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2)->(d1,d0,d2)>, affine_map<(d0,d1,d2)->(d2)>, affine_map<(d0,d1,d2)->(d0,d1,d2)>], iterator_types=["parallel","parallel","parallel"]} ins(%p, %b : tensor<8x64x256xf32>, tensor<256xf32>) outs(%e2 : tensor<64x8x256xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.addf %a, %c : f32
    %n = arith.maximumf %m, %z : f32
    linalg.yield %n : f32
  } -> tensor<64x8x256xf32>
  return %r : tensor<64x8x256xf32>
}
