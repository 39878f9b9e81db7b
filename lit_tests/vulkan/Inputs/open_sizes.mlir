// two open sizes, a branch, a call, a slice
func.func private @scale(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %k = arith.constant 2.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %k : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x24xf32>) -> (tensor<?x24xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %s = call @scale(%a) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %p = linalg.matmul ins(%s, %b : tensor<?x?xf32>, tensor<?x24xf32>) outs(%f : tensor<?x24xf32>) -> tensor<?x24xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%p : tensor<?x24xf32>) outs(%f1 : tensor<?xf32>) dimensions = [1]
    (%x: f32, %o: f32) {
      %y = arith.addf %x, %o : f32
      linalg.yield %y : f32
    }
  return %p, %sum : tensor<?x24xf32>, tensor<?xf32>
}
func.func @columns(%a: tensor<?x24xf32>) -> tensor<24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.reduce ins(%a : tensor<?x24xf32>) outs(%f : tensor<24xf32>) dimensions = [0]
    (%x: f32, %o: f32) {
      %y = arith.addf %x, %o : f32
      linalg.yield %y : f32
    }
  return %sum : tensor<24xf32>
}
// As many as an argument says.
func.func @found(%n: tensor<1xi64>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %i = tensor.extract %n[%c0] : tensor<1xi64>
  %m = arith.index_cast %i : i64 to index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}
