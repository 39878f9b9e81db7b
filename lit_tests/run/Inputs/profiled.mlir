// Two turns of a loop, and a branch that none takes.
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32> {tune.constant}, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %r = scf.for %i = %zero to %two step %one iter_args(%x = %a) -> tensor<64x64xf32> {
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %p = linalg.matmul ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %is_two = arith.cmpi eq, %i, %two : index
    %y = scf.if %is_two -> tensor<64x64xf32> {
      %s = linalg.sub ins(%p, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    } else {
      scf.yield %p : tensor<64x64xf32>
    }
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
