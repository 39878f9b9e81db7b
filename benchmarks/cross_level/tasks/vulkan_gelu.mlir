// A product with bias and gelu.
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<128x256xf32>, %w: tensor<256x256xf32>, %b: tensor<256xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %p = linalg.matmul {tune.choices = {
        band = 1, cols = #tune.tile<[32, 64]>, depth = #tune.tile<[8, 16]>,
        group_x = #tune.parallel<[16, 32]>, group_y = 1, kr = #tune.unroll<[4, 8]>,
        mr = #tune.tile<[8, 16]>, nr = #tune.tile<[4, 8]>, pairs = 0,
        rows = #tune.tile<[32, 64]>, share = 8,
        shared_memory = #tune.alternative<["none", "tiles"]>,
        spirv_opt = #tune.alternative<["none", "performance"]>,
        stages = #tune.parallel<[1, 2]>, texels = 134217728, warps_x = 1, warps_y = 1}} ins(%x, %w : tensor<128x256xf32>, tensor<256x256xf32>) outs(%z : tensor<128x256xf32>) -> tensor<128x256xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<128x256xf32>, tensor<256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%v: f32, %c: f32, %o: f32):
    %a = arith.addf %v, %c : f32
    %q = arith.mulf %a, %root : f32
    %f = math.erf %q : f32
    %g = arith.addf %f, %one : f32
    %h = arith.mulf %a, %half : f32
    %y = arith.mulf %h, %g : f32
    linalg.yield %y : f32
  } -> tensor<128x256xf32>
  return %r : tensor<128x256xf32>
}
