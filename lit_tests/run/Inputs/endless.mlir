func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = arith.constant true
  %r = scf.while (%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    scf.condition(%t) %a : tensor<4x4xf32>
  } do {
  ^bb0(%b: tensor<4x4xf32>):
    %e = tensor.empty() : tensor<4x4xf32>
    %c = linalg.exp ins(%b : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %c : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}
