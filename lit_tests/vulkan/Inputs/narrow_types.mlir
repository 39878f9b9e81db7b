// What rounds to 16 bits and comes back, and sums in them.
#same = affine_map<(d0, d1) -> (d0, d1)>

// Ties to even, up and down; both zeroes; subnormal numbers; what is too large; infinities; NaNs.
func.func @rounded() -> (tensor<2x8xi16>, tensor<2x8xi16>) {
  %values = arith.constant dense<[[1.00390625, 1.01171875, 1.00048828125, 1.00146484375, -0.0, 3.4028234e38, 65519.0, 65520.0],
    [5.9604645e-8, 2.9802322e-8, 8.940697e-8, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 1.0e-30]]> : tensor<2x8xf32>
  %e = tensor.empty() : tensor<2x8xi16>
  %b = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%values : tensor<2x8xf32>) outs(%e : tensor<2x8xi16>) {
  ^bb0(%x: f32, %o: i16):
    %1 = arith.truncf %x : f32 to bf16
    %2 = arith.bitcast %1 : bf16 to i16
    linalg.yield %2 : i16
  } -> tensor<2x8xi16>
  %h = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%values : tensor<2x8xf32>) outs(%e : tensor<2x8xi16>) {
  ^bb0(%x: f32, %o: i16):
    %1 = arith.truncf %x : f32 to f16
    %2 = arith.bitcast %1 : f16 to i16
    linalg.yield %2 : i16
  } -> tensor<2x8xi16>
  return %b, %h : tensor<2x8xi16>, tensor<2x8xi16>
}

// Five columns, which are read one by one.
func.func @back(%x: tensor<3x5xbf16>, %y: tensor<3x5xf16>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<3x5xbf16>, tensor<3x5xf16>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%a: bf16, %b: f16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.addf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @product(%a: tensor<32x64xbf16>, %b: tensor<64x32xbf16>) -> tensor<32x32xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<32x32xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x32xbf16>) outs(%f : tensor<32x32xbf16>) -> tensor<32x32xbf16>
  return %0 : tensor<32x32xbf16>
}

func.func @softmax(%a: tensor<24x64xbf16>) -> tensor<24x64xbf16> {
  %e = tensor.empty() : tensor<24x64xbf16>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<24x64xbf16>) outs(%e : tensor<24x64xbf16>) -> tensor<24x64xbf16>
  return %0 : tensor<24x64xbf16>
}

// Powers, quotients and integers, in f16 and with rows of nothing that divides.
func.func @mixed(%a: tensor<7x9xf16>, %b: tensor<7x9xi32>) -> tensor<7x9xbf16> {
  %e = tensor.empty() : tensor<7x9xbf16>
  %0 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<7x9xf16>, tensor<7x9xi32>) outs(%e : tensor<7x9xbf16>) {
  ^bb0(%x: f16, %i: i32, %o: bf16):
    %1 = arith.sitofp %i : i32 to bf16
    %2 = math.exp %x : f16
    %3 = arith.extf %2 : f16 to f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.divf %1, %4 : bf16
    %6 = arith.cmpf olt, %5, %4 : bf16
    %7 = arith.select %6, %5, %4 : bf16
    linalg.yield %7 : bf16
  } -> tensor<7x9xbf16>
  return %0 : tensor<7x9xbf16>
}
