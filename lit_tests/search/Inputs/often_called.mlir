// Products of six sizes, and sums of exponentials in a loop: 64 turns, which nobody knows who does not
// run it.
func.func @main(%turns: tensor<?xf32>, %rows: tensor<64x64xf32>, %a: tensor<32x32xf32>, %b: tensor<32x48xf32>, %c: tensor<48x64xf32>, %d: tensor<64x80xf32>, %e: tensor<80x512xf32>, %f: tensor<512x512xf32>) -> (tensor<32x512xf32>, tensor<64x64xf32>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x32xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %e1 = tensor.empty() : tensor<32x48xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<32x32xf32>, tensor<32x48xf32>) outs(%f1 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %e2 = tensor.empty() : tensor<32x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<32x48xf32>, tensor<48x64xf32>) outs(%f2 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e3 = tensor.empty() : tensor<32x80xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<32x80xf32>) -> tensor<32x80xf32>
  %3 = linalg.matmul ins(%2, %d : tensor<32x64xf32>, tensor<64x80xf32>) outs(%f3 : tensor<32x80xf32>) -> tensor<32x80xf32>
  %e4 = tensor.empty() : tensor<32x512xf32>
  %f4 = linalg.fill ins(%z : f32) outs(%e4 : tensor<32x512xf32>) -> tensor<32x512xf32>
  %4 = linalg.matmul ins(%3, %e : tensor<32x80xf32>, tensor<80x512xf32>) outs(%f4 : tensor<32x512xf32>) -> tensor<32x512xf32>
  %5 = linalg.matmul ins(%4, %f : tensor<32x512xf32>, tensor<512x512xf32>) outs(%f4 : tensor<32x512xf32>) -> tensor<32x512xf32>
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %to = tensor.dim %turns, %from : tensor<?xf32>
  %er = tensor.empty() : tensor<64x64xf32>
  %looped = scf.for %i = %from to %to step %step iter_args(%x = %rows) -> tensor<64x64xf32> {
    %y = linalg.softmax dimension(1) ins(%x : tensor<64x64xf32>) outs(%er : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %5, %looped : tensor<32x512xf32>, tensor<64x64xf32>
}
