// Attention of 4 heads over 128 tokens: two products with softmax between them.
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%q: tensor<4x128x64xf32>, %k: tensor<4x128x64xf32>, %v: tensor<4x128x64xf32>) -> tensor<4x128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : tensor<4x128x128xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<4x128x64xf32>, tensor<4x128x64xf32>) outs(%z0 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x128x128xf32>) outs(%e0 : tensor<4x128x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<4x128x128xf32>
  %er = tensor.empty() : tensor<4x128xf32>
  %fr = linalg.fill ins(%low : f32) outs(%er : tensor<4x128xf32>) -> tensor<4x128xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scaled : tensor<4x128x128xf32>) outs(%fr : tensor<4x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<4x128xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<4x128x128xf32>, tensor<4x128xf32>) outs(%e0 : tensor<4x128x128xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %y = arith.subf %x, %m : f32
    %z = math.exp %y : f32
    linalg.yield %z : f32
  } -> tensor<4x128x128xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x128xf32>) -> tensor<4x128xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<4x128x128xf32>) outs(%zr : tensor<4x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<4x128xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<4x128x128xf32>, tensor<4x128xf32>) outs(%e0 : tensor<4x128x128xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %y = arith.divf %x, %m : f32
    linalg.yield %y : f32
  } -> tensor<4x128x128xf32>
  %e1 = tensor.empty() : tensor<4x128x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  %r = linalg.batch_matmul {tune.choices = {
        kr = #tune.unroll<[2, 4]>, llvm_opt_level = "3",
        llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>, mc = #tune.tile<[16, 32, 64]>,
        mr = #tune.tile<[4, 8, 16]>, nr = #tune.tile<[16, 32]>, partial = "of_64",
        share = #tune.parallel<[64, 128]>, stack_bytes = 65536, vector = 32,
        vector_math = #tune.vectorize<[1, 2]>}} ins(%p, %v : tensor<4x128x128xf32>, tensor<4x128x64xf32>) outs(%z1 : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  return %r : tensor<4x128x64xf32>
}
