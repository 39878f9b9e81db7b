// Softmax of rows.
func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %r = linalg.softmax {tune.choices = {
        llvm_opt_level = "3", llvm_unroll = #tune.alternative<["0", "1"]>,
        llvm_vector_width = #tune.vectorize<[256, 512]>,
        partial = #tune.alternative<["of_16", "of_32", "of_64", "of_128"]>,
        stack_bytes = #tune.pack<[0, 65536]>, vector = #tune.vectorize<[16, 32, 64]>,
        vector_math = #tune.vectorize<[0, 1, 2]>}} dimension(1) ins(%x : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %r : tensor<256x512xf32>
}
