// RUN: %{mistake}
// What is rounded to bf16 between ops is off by that, not by what a sum in bf16 would be.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<64x256xf32>, %b: tensor<256x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : bf16
  %one = arith.constant 1.0 : bf16
  //wrong %more = arith.constant 1.2 : bf16
  %e = tensor.empty() : tensor<64x96xf32>
  %n = tensor.empty() : tensor<64x96xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x256xf32>, tensor<256x96xf32>) outs(%f : tensor<64x96xf32>) -> tensor<64x96xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<64x96xf32>) outs(%n : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<64x96xbf16>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x96xbf16>) outs(%n : tensor<64x96xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %t = math.tanh %x : bf16
    %u = arith.addf %t, %one : bf16
    %v = arith.mulf %u, %half : bf16
    //right %w = arith.mulf %v, %x : bf16
    //wrong %q = arith.mulf %v, %x : bf16
    //wrong %w = arith.mulf %q, %more : bf16
    linalg.yield %w : bf16
  } -> tensor<64x96xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<64x96xbf16>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %y = arith.extf %x : bf16 to f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
