// Softmax of rows.
func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %r = linalg.softmax {tune.choices = {
        group_x = #tune.parallel<[1, 8, 64]>, group_y = 1, lanes = #tune.parallel<[1, 8, 32]>,
        pairs = #tune.parallel<[0, 1]>, spirv_opt = #tune.alternative<["none", "performance"]>,
        texels = 134217728, vector = #tune.vectorize<[4, 16, 64]>}} dimension(1) ins(%x : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %r : tensor<256x512xf32>
}
