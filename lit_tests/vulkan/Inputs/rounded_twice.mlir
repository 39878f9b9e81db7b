// Numbers of f64 next to the middle of two of f16, and of bf16: by f32, which has the middle, they
// would be rounded to the other one.
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant dense<[166.93749999, -166.93749999, 0.33349609374999, 1000.3]> : tensor<4xf64>
  %h = tensor.empty() : tensor<4xf16>
  %b = tensor.empty() : tensor<4xbf16>
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<4xf64>) outs(%h : tensor<4xf16>) {
  ^bb0(%v: f64, %o: f16):
    %t = arith.truncf %v : f64 to f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf16>) outs(%e : tensor<4xf32>) {
  ^bb0(%v: f16, %o: f32):
    %w = arith.extf %v : f16 to f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  %d = arith.constant dense<[257.00000001, -256.99999999, 0.33349609374999, 1.0e9]> : tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%d : tensor<4xf64>) outs(%b : tensor<4xbf16>) {
  ^bb0(%v: f64, %o: bf16):
    %t = arith.truncf %v : f64 to bf16
    linalg.yield %t : bf16
  } -> tensor<4xbf16>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y, %a : tensor<4xbf16>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%v: bf16, %u: f32, %o: f32):
    %w = arith.extf %v : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
