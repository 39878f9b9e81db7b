// RUN: %{mistake}
// Indices are from all of the table.
#id = affine_map<(d0) -> (d0)>
func.func @main(%i: tensor<4096xi64>, %t: tensor<5000xf32>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : tensor<4096xi64>) outs(%e : tensor<4096xf32>) {
  ^bb0(%a: i64, %o: f32):
    //right %n = arith.index_cast %a : i64 to index
    //wrong %s = arith.trunci %a : i64 to i8
    //wrong %u = arith.extui %s : i8 to i64
    //wrong %n = arith.index_cast %u : i64 to index
    %y = tensor.extract %t[%n] : tensor<5000xf32>
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  return %r : tensor<4096xf32>
}
