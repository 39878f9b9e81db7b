// RUN: %{mistake}
// Numbers of which the sum is beyond f16 are not nearly equal for that.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x0: tensor<1024x1024xf16>, %x1: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %factor = arith.constant 1.5 : f16
  %large = arith.constant 40000.0 : f16
  %other = arith.constant 26000.0 : f16
  %one = arith.constant 1.0 : f16
  %no = arith.constant false
  %e = tensor.empty() : tensor<1024x1024xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1 : tensor<1024x1024xf16>, tensor<1024x1024xf16>)
      outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %p = arith.mulf %a, %factor : f16
    //right %t = arith.cmpf ogt, %p, %b : f16
    //wrong %s = arith.cmpf ogt, %p, %b : f16
    //wrong %m = arith.cmpf ogt, %p, %large : f16
    //wrong %n = arith.cmpf ogt, %b, %other : f16
    //wrong %u = arith.andi %m, %n : i1
    //wrong %t = arith.select %u, %no, %s : i1
    %y = arith.select %t, %one, %b : f16
    linalg.yield %y : f16
  } -> tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}
