// A long product of few rows with bias and gelu: what may be split along its sum.
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<4x2048xf32>, %w: tensor<2048x64xf32>, %b: tensor<64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %p = linalg.matmul {tune.choices = {
        depth_split = #tune.alternative<["whole", "split"]>,
        epilogue = #tune.alternative<["register_tile", "outer_tile", "apart"]>,
        kc = #tune.tile<[128, 512]>, kr = 4, llvm_opt_level = "3",
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = 4, mr = #tune.tile<[2, 4]>,
        nc = 64, nr = #tune.tile<[32, 64]>, panels = "in_place", stack_bytes = 0,
        tile_order = "columns_outside", vector_math = #tune.vectorize<[1, 2]>}} ins(%x, %w : tensor<4x2048xf32>, tensor<2048x64xf32>) outs(%z : tensor<4x64xf32>) -> tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4x64xf32>, tensor<64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%v: f32, %c: f32, %o: f32):
    %a = arith.addf %v, %c : f32
    %q = arith.mulf %a, %root : f32
    %f = math.erf %q : f32
    %g = arith.addf %f, %one : f32
    %h = arith.mulf %a, %half : f32
    %y = arith.mulf %h, %g : f32
    linalg.yield %y : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}
