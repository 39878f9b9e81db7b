// Products of bytes with and without a sign, in several layouts.
func.func @signed(%a: tensor<32x64xi8>, %b: tensor<64x32xi8>) -> tensor<32x32xi32> {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<32x32xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<32x32xi32>) -> tensor<32x32xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<32x64xi8>, tensor<64x32xi8>) outs(%i : tensor<32x32xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %1 = arith.extsi %x : i8 to i32
    %2 = arith.extsi %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %z, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<32x32xi32>
  return %r : tensor<32x32xi32>
}
func.func @mixed(%a: tensor<32x32xi8>, %b: tensor<64x32xi8>) -> tensor<32x64xi32> {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<32x64xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<32x64xi32>) -> tensor<32x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<32x32xi8>, tensor<64x32xi8>) outs(%i : tensor<32x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %1 = arith.extui %x : i8 to i32
    %2 = arith.extsi %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %z, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<32x64xi32>
  return %r : tensor<32x64xi32>
}
func.func @unsigned(%a: tensor<36x32xi8>, %b: tensor<36x32xi8>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<32x32xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<32x32xi32>) -> tensor<32x32xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<36x32xi8>, tensor<36x32xi8>) outs(%i : tensor<32x32xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %1 = arith.extui %x : i8 to i32
    %2 = arith.extui %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %z, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<32x32xi32>
  %g = tensor.empty() : tensor<32x32xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<32x32xi32>) outs(%g : tensor<32x32xf32>) {
  ^bb0(%x: i32, %y: f32):
    %1 = arith.sitofp %x : i32 to f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<32x32xf32>
  return %q : tensor<32x32xf32>
}
func.func @odd(%a: tensor<17x35xi8>, %b: tensor<35x23xi8>) -> tensor<17x23xi32> {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<17x23xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<17x23xi32>) -> tensor<17x23xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<17x35xi8>, tensor<35x23xi8>) outs(%i : tensor<17x23xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %1 = arith.extsi %x : i8 to i32
    %2 = arith.extui %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %z, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<17x23xi32>
  return %r : tensor<17x23xi32>
}
func.func @convolution(%a: tensor<1x7x7x8xi8>, %b: tensor<3x3x8x32xi8>) -> tensor<1x7x7x32xi32> {
  %z8 = arith.constant 0 : i8
  %c0 = arith.constant 0 : i32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z8 : i8
  } : tensor<1x7x7x8xi8> to tensor<1x9x9x8xi8>
  %e = tensor.empty() : tensor<1x7x7x32xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x7x7x32xi32>) -> tensor<1x7x7x32xi32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>} ins(%p, %b : tensor<1x9x9x8xi8>, tensor<3x3x8x32xi8>) outs(%i : tensor<1x7x7x32xi32>) -> tensor<1x7x7x32xi32>
  return %r : tensor<1x7x7x32xi32>
}
func.func @batch(%a: tensor<3x32x64xi8>, %b: tensor<3x64x32xi8>) -> tensor<3x32x32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x32x32xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<3x32x32xi32>) -> tensor<3x32x32xi32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x32x64xi8>, tensor<3x64x32xi8>) outs(%i : tensor<3x32x32xi32>) -> tensor<3x32x32xi32>
  return %r : tensor<3x32x32xi32>
}