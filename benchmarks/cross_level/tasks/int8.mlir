// A product of int8 with a scale for each column.
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<128x256xi8>, %w: tensor<256x256xi8>, %s: tensor<256xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant 0 : i32
  %ei = tensor.empty() : tensor<128x256xi32>
  %z = linalg.fill ins(%zero : i32) outs(%ei : tensor<128x256xi32>) -> tensor<128x256xi32>
  %p = linalg.matmul {tune.choices = {
        kr = #tune.unroll<[1, 2, 4]>, llvm_opt_level = "3",
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = #tune.tile<[32, 64, 128]>,
        mr = #tune.tile<[4, 8]>, nc = #tune.tile<[64, 256]>, nr = #tune.tile<[32, 64]>}} ins(%x, %w : tensor<128x256xi8>, tensor<256x256xi8>) outs(%z : tensor<128x256xi32>) -> tensor<128x256xi32>
  %e = tensor.empty() : tensor<128x256xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<128x256xi32>, tensor<256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%v: i32, %c: f32, %o: f32):
    %f = arith.sitofp %v : i32 to f32
    %y = arith.mulf %f, %c : f32
    linalg.yield %y : f32
  } -> tensor<128x256xf32>
  return %r : tensor<128x256xf32>
}
