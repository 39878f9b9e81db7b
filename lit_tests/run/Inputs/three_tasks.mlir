// A sum, a product, and another sum: three tasks of two kinds.
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> (tensor<32x48xf32>, tensor<32xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<32xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.reduce ins(%x : tensor<32x64xf32>) outs(%b : tensor<32xf32>) dimensions = [1]
    (%i: f32, %o: f32) { %t = arith.addf %i, %o : f32 linalg.yield %t : f32 }
  %d = tensor.empty() : tensor<32x48xf32>
  %e = linalg.fill ins(%zero : f32) outs(%d : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %f = tensor.empty() : tensor<64xf32>
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce ins(%w : tensor<64x48xf32>) outs(%g : tensor<64xf32>) dimensions = [1]
    (%i: f32, %o: f32) { %t = arith.addf %i, %o : f32 linalg.yield %t : f32 }
  return %p, %s, %r : tensor<32x48xf32>, tensor<32xf32>, tensor<64xf32>
}
