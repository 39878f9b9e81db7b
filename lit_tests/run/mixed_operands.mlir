// A product of which one operand is bytes that become floats on their way in: columns are padded to
// whole panels, each operand with a zero of its own type.
// RUN: tune-run %s --db= --strict --time=0.001 | FileCheck %s
// CHECK: 1 task (by default)
// CHECK: Check ok
func.func @main(%a: tensor<17x7xi8>, %b: tensor<48x7xf16>) -> tensor<17x48xf32> {
  %zero = arith.constant 0.0 : f32
  %half_init = tensor.empty() : tensor<17x7xf16>
  %half = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<17x7xi8>) outs(%half_init : tensor<17x7xf16>) {
    ^bb0(%x: i8, %y: f16):
      %f = arith.sitofp %x : i8 to f16
      linalg.yield %f : f16
  } -> tensor<17x7xf16>
  %init = tensor.empty() : tensor<17x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%init : tensor<17x48xf32>) -> tensor<17x48xf32>
  %product = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%half, %b : tensor<17x7xf16>, tensor<48x7xf16>) outs(%fill : tensor<17x48xf32>) {
    ^bb0(%x: f16, %y: f16, %z: f32):
      %p = arith.extf %x : f16 to f32
      %q = arith.extf %y : f16 to f32
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %z, %m : f32
      linalg.yield %s : f32
  } -> tensor<17x48xf32>
  return %product : tensor<17x48xf32>
}
