// Scores of attention, of any batch and any number of tokens, each with sizes of its own.
func.func @main(%q: tensor<?x?x16xf32> {tune.dim = ["batch=1:0.75,4", "tokens=16-64", ""]},
                %k: tensor<?x?x16xf32> {tune.dim = ["batch", "tokens", ""]}) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %q, %c0 : tensor<?x?x16xf32>
  %rows = tensor.dim %q, %c1 : tensor<?x?x16xf32>
  %keys = tensor.dim %k, %c1 : tensor<?x?x16xf32>
  %turned = tensor.empty(%batch, %keys) : tensor<?x16x?xf32>
  %kt = linalg.transpose ins(%k : tensor<?x?x16xf32>) outs(%turned : tensor<?x16x?xf32>) permutation = [0, 2, 1]
  %empty = tensor.empty(%batch, %rows, %keys) : tensor<?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<?x?x16xf32>, tensor<?x16x?xf32>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}
