// The gate of a gated unit: silu(x W) * u, a product with the other one of its two as a factor.
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<64x256xf32>, %w: tensor<256x256xf32>, %up: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %gate = linalg.matmul {tune.choices = {
        depth_split = #tune.alternative<["whole", "split"]>,
        epilogue = #tune.alternative<["register_tile", "outer_tile", "apart"]>, kc = 128,
        kr = 4, llvm_opt_level = "3", llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = #tune.tile<[32, 64]>,
        mr = #tune.tile<[4, 6, 8]>, nc = 256, nr = #tune.tile<[32, 64]>,
        panels = #tune.alternative<["packed", "in_place"]>, stack_bytes = 0,
        tile_order = "columns_outside", vector_math = 1}} ins(%x, %w : tensor<64x256xf32>, tensor<256x256xf32>) outs(%z : tensor<64x256xf32>) -> tensor<64x256xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %up : tensor<64x256xf32>, tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%g: f32, %u: f32, %o: f32):
    %n = arith.negf %g : f32
    %x0 = math.exp %n : f32
    %d = arith.addf %x0, %one : f32
    %s = arith.divf %g, %d : f32
    %y = arith.mulf %s, %u : f32
    linalg.yield %y : f32
  } -> tensor<64x256xf32>
  return %r : tensor<64x256xf32>
}
