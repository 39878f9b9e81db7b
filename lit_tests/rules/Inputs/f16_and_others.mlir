// Products of which one is by factors of f16 (rounded_to_f16.mlir).
func.func @first(%a: tensor<64x256xf32>, %v: tensor<256x256xf32> {tune.constant}, %b: tensor<48x512xf32>, %w: tensor<512x128xf32> {tune.constant}) -> (tensor<64x256xf32>, tensor<48x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %pe = tensor.empty() : tensor<64x256xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p = linalg.matmul {tune.allow = ["f16"], tune.choices = {rule = "contraction/f16"}} ins(%a, %v : tensor<64x256xf32>, tensor<256x256xf32>) outs(%pf : tensor<64x256xf32>) -> tensor<64x256xf32>
  %qe = tensor.empty() : tensor<48x128xf32>
  %qf = linalg.fill ins(%zero : f32) outs(%qe : tensor<48x128xf32>) -> tensor<48x128xf32>
  %q = linalg.matmul {tune.allow = ["bf16"], tune.choices = {rule = "contraction/bf16"}} ins(%b, %w : tensor<48x512xf32>, tensor<512x128xf32>) outs(%qf : tensor<48x128xf32>) -> tensor<48x128xf32>
  return %p, %q : tensor<64x256xf32>, tensor<48x128xf32>
}
func.func @last(%a: tensor<64x256xf32>, %v: tensor<256x256xf32> {tune.constant}, %b: tensor<48x512xf32>, %w: tensor<512x128xf32> {tune.constant}) -> (tensor<64x256xf32>, tensor<48x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %pe = tensor.empty() : tensor<64x256xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p = linalg.matmul {tune.allow = ["bf16"], tune.choices = {rule = "contraction/bf16"}} ins(%a, %v : tensor<64x256xf32>, tensor<256x256xf32>) outs(%pf : tensor<64x256xf32>) -> tensor<64x256xf32>
  %qe = tensor.empty() : tensor<48x128xf32>
  %qf = linalg.fill ins(%zero : f32) outs(%qe : tensor<48x128xf32>) -> tensor<48x128xf32>
  %q = linalg.matmul {tune.allow = ["f16"], tune.choices = {rule = "contraction/f16"}} ins(%b, %w : tensor<48x512xf32>, tensor<512x128xf32>) outs(%qf : tensor<48x128xf32>) -> tensor<48x128xf32>
  return %p, %q : tensor<64x256xf32>, tensor<48x128xf32>
}
func.func @chain(%a: tensor<64x256xf32>, %v: tensor<256x256xf32> {tune.constant}, %w: tensor<256x128xf32> {tune.constant}) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %pe = tensor.empty() : tensor<64x256xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p = linalg.matmul {tune.allow = ["bf16"], tune.choices = {rule = "contraction/bf16"}} ins(%a, %v : tensor<64x256xf32>, tensor<256x256xf32>) outs(%pf : tensor<64x256xf32>) -> tensor<64x256xf32>
  %qe = tensor.empty() : tensor<64x128xf32>
  %qf = linalg.fill ins(%zero : f32) outs(%qe : tensor<64x128xf32>) -> tensor<64x128xf32>
  %q = linalg.matmul {tune.allow = ["f16"], tune.choices = {rule = "contraction/f16"}} ins(%p, %w : tensor<64x256xf32>, tensor<256x128xf32>) outs(%qf : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}
func.func @bytes(%a: tensor<64x256xf32>, %v: tensor<256x256xf32> {tune.constant}, %w: tensor<256x128xf32> {tune.constant}) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %pe = tensor.empty() : tensor<64x256xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p = linalg.matmul {tune.allow = ["int8"]} ins(%a, %v : tensor<64x256xf32>, tensor<256x256xf32>) outs(%pf : tensor<64x256xf32>) -> tensor<64x256xf32>
  %qe = tensor.empty() : tensor<64x128xf32>
  %qf = linalg.fill ins(%zero : f32) outs(%qe : tensor<64x128xf32>) -> tensor<64x128xf32>
  %q = linalg.matmul {tune.allow = ["f16"], tune.choices = {rule = "contraction/f16"}} ins(%p, %w : tensor<64x256xf32>, tensor<256x128xf32>) outs(%qf : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}
