// RUN: tune-run %s --db= --time=0.001 --dynamic=4 | FileCheck %s
// What a network computes stays in range: its weights are small, variances positive, masks zeros and
// ones, and ids within their table. In f16 all of it would be infinite or NaN with other inputs.
// CHECK: Check {{ *}}ok: error {{.*}} magnitude {{0\.[0-9]+|[1-9]}}
// CHECK-NOT: infinite
// CHECK-NOT: NaN
#m = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func private @layer(%x: tensor<32x768xf16>, %w: tensor<768x768xf16>) -> tensor<32x768xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<32x768xf16>
  %we = tensor.empty() : tensor<768x768xf16>
  %t = linalg.transpose ins(%w : tensor<768x768xf16>) outs(%we : tensor<768x768xf16>) permutation = [1, 0]
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<32x768xf16>) -> tensor<32x768xf16>
  %p = linalg.matmul ins(%x, %t : tensor<32x768xf16>, tensor<768x768xf16>)
                     outs(%f : tensor<32x768xf16>) -> tensor<32x768xf16>
  return %p : tensor<32x768xf16>
}
func.func @main(%ids: tensor<32xi64>, %table: tensor<1000x768xf16>, %w0: tensor<768x768xf16>,
                %w1: tensor<768x768xf16>, %w2: tensor<768x768xf16>, %w3: tensor<768x768xf16>,
                %variance: tensor<768xf16>, %mask: tensor<32x768xf16>) -> tensor<32x768xf16> {
  %least = arith.constant 1.0e-5 : f16
  %one = arith.constant 1.0 : f16
  %far = arith.constant -6.5e+4 : f16
  %e = tensor.empty() : tensor<32x768xf16>
  %x = linalg.generic {indexing_maps = [#row, #m], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<32xi64>) outs(%e : tensor<32x768xf16>) {
  ^bb0(%id: i64, %o: f16):
    %i = arith.index_cast %id : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<1000x768xf16>
    linalg.yield %v : f16
  } -> tensor<32x768xf16>
  %a = call @layer(%x, %w0) : (tensor<32x768xf16>, tensor<768x768xf16>) -> tensor<32x768xf16>
  %b = call @layer(%a, %w1) : (tensor<32x768xf16>, tensor<768x768xf16>) -> tensor<32x768xf16>
  %c = call @layer(%b, %w2) : (tensor<32x768xf16>, tensor<768x768xf16>) -> tensor<32x768xf16>
  %d = call @layer(%c, %w3) : (tensor<32x768xf16>, tensor<768x768xf16>) -> tensor<32x768xf16>
  %n = linalg.generic {indexing_maps = [#m, #column, #m, #m],
                       iterator_types = ["parallel", "parallel"]}
      ins(%d, %variance, %mask : tensor<32x768xf16>, tensor<768xf16>, tensor<32x768xf16>)
      outs(%e : tensor<32x768xf16>) {
  ^bb0(%v: f16, %s: f16, %k: f16, %o: f16):
    %s1 = arith.addf %s, %least : f16
    %r = math.rsqrt %s1 : f16
    %y = arith.mulf %v, %r : f16
    %m = arith.subf %one, %k : f16
    %b1 = arith.mulf %m, %far : f16
    %z = arith.addf %y, %b1 : f16
    linalg.yield %z : f16
  } -> tensor<32x768xf16>
  %soft = linalg.softmax dimension(1) ins(%n : tensor<32x768xf16>) outs(%e : tensor<32x768xf16>) -> tensor<32x768xf16>
  return %soft : tensor<32x768xf16>
}
