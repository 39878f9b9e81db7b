// An op of 16 operands has its vectors, and one of more than any rule has room for is built all the
// same, by a rule that asks for no structure.

// RUN: tune-opt %s --tune-print-space=target=null -o %t.mlir 2>&1 | FileCheck %s
// RUN: tune-run %s --function=many --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=too_many --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=reshaped --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// CHECK: rule 'elementwise'
// CHECK: rule '{{general|affine|plain}}'
#id = affine_map<(d0, d1) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @many(%x0: tensor<4x37xf32>, %x1: tensor<4x37xf32>, %x2: tensor<4x37xf32>, %x3: tensor<4x37xf32>, %x4:
    tensor<4x37xf32>, %x5: tensor<4x37xf32>, %x6: tensor<4x37xf32>, %x7: tensor<4x37xf32>, %x8:
    tensor<4x37xf32>, %x9: tensor<4x37xf32>, %x10: tensor<4x37xf32>, %x11: tensor<4x37xf32>, %x12:
    tensor<4x37xf32>, %x13: tensor<4x37xf32>, %x14: tensor<4x37xf32>) -> tensor<4x37xf32> {
  %e = tensor.empty() : tensor<4x37xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14
      : tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>)
      outs(%e : tensor<4x37xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %b3: f32, %b4: f32, %b5: f32, %b6: f32, %b7: f32, %b8: f32, %b9:
      f32, %b10: f32, %b11: f32, %b12: f32, %b13: f32, %b14: f32, %o: f32):
    %s1 = arith.addf %b0, %b1 : f32
    %s2 = arith.addf %s1, %b2 : f32
    %s3 = arith.addf %s2, %b3 : f32
    %s4 = arith.addf %s3, %b4 : f32
    %s5 = arith.addf %s4, %b5 : f32
    %s6 = arith.addf %s5, %b6 : f32
    %s7 = arith.addf %s6, %b7 : f32
    %s8 = arith.addf %s7, %b8 : f32
    %s9 = arith.addf %s8, %b9 : f32
    %s10 = arith.addf %s9, %b10 : f32
    %s11 = arith.addf %s10, %b11 : f32
    %s12 = arith.addf %s11, %b12 : f32
    %s13 = arith.addf %s12, %b13 : f32
    %s14 = arith.addf %s13, %b14 : f32
    linalg.yield %s14 : f32
  } -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

func.func @too_many(%x0: tensor<4x37xf32>, %x1: tensor<4x37xf32>, %x2: tensor<4x37xf32>, %x3: tensor<4x37xf32>, %x4:
    tensor<4x37xf32>, %x5: tensor<4x37xf32>, %x6: tensor<4x37xf32>, %x7: tensor<4x37xf32>, %x8:
    tensor<4x37xf32>, %x9: tensor<4x37xf32>, %x10: tensor<4x37xf32>, %x11: tensor<4x37xf32>, %x12:
    tensor<4x37xf32>, %x13: tensor<4x37xf32>, %x14: tensor<4x37xf32>, %x15: tensor<4x37xf32>, %x16:
    tensor<4x37xf32>, %x17: tensor<4x37xf32>, %x18: tensor<4x37xf32>, %x19: tensor<4x37xf32>, %x20:
    tensor<4x37xf32>, %x21: tensor<4x37xf32>, %x22: tensor<4x37xf32>, %x23: tensor<4x37xf32>, %x24:
    tensor<4x37xf32>, %x25: tensor<4x37xf32>, %x26: tensor<4x37xf32>, %x27: tensor<4x37xf32>, %x28:
    tensor<4x37xf32>, %x29: tensor<4x37xf32>, %x30: tensor<4x37xf32>, %x31: tensor<4x37xf32>, %x32:
    tensor<4x37xf32>, %x33: tensor<4x37xf32>, %x34: tensor<4x37xf32>, %x35: tensor<4x37xf32>, %x36:
    tensor<4x37xf32>, %x37: tensor<4x37xf32>, %x38: tensor<4x37xf32>, %x39: tensor<4x37xf32>) -> tensor<4x37xf32> {
  %e = tensor.empty() : tensor<4x37xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id,
      #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id,
      #id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16,
      %x17, %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26, %x27, %x28, %x29, %x30, %x31,
      %x32, %x33, %x34, %x35, %x36, %x37, %x38, %x39
      : tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>,
      tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>, tensor<4x37xf32>)
      outs(%e : tensor<4x37xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %b3: f32, %b4: f32, %b5: f32, %b6: f32, %b7: f32, %b8: f32, %b9:
      f32, %b10: f32, %b11: f32, %b12: f32, %b13: f32, %b14: f32, %b15: f32, %b16: f32, %b17: f32,
      %b18: f32, %b19: f32, %b20: f32, %b21: f32, %b22: f32, %b23: f32, %b24: f32, %b25: f32, %b26:
      f32, %b27: f32, %b28: f32, %b29: f32, %b30: f32, %b31: f32, %b32: f32, %b33: f32, %b34: f32,
      %b35: f32, %b36: f32, %b37: f32, %b38: f32, %b39: f32, %o: f32):
    %s1 = arith.addf %b0, %b1 : f32
    %s2 = arith.addf %s1, %b2 : f32
    %s3 = arith.addf %s2, %b3 : f32
    %s4 = arith.addf %s3, %b4 : f32
    %s5 = arith.addf %s4, %b5 : f32
    %s6 = arith.addf %s5, %b6 : f32
    %s7 = arith.addf %s6, %b7 : f32
    %s8 = arith.addf %s7, %b8 : f32
    %s9 = arith.addf %s8, %b9 : f32
    %s10 = arith.addf %s9, %b10 : f32
    %s11 = arith.addf %s10, %b11 : f32
    %s12 = arith.addf %s11, %b12 : f32
    %s13 = arith.addf %s12, %b13 : f32
    %s14 = arith.addf %s13, %b14 : f32
    %s15 = arith.addf %s14, %b15 : f32
    %s16 = arith.addf %s15, %b16 : f32
    %s17 = arith.addf %s16, %b17 : f32
    %s18 = arith.addf %s17, %b18 : f32
    %s19 = arith.addf %s18, %b19 : f32
    %s20 = arith.addf %s19, %b20 : f32
    %s21 = arith.addf %s20, %b21 : f32
    %s22 = arith.addf %s21, %b22 : f32
    %s23 = arith.addf %s22, %b23 : f32
    %s24 = arith.addf %s23, %b24 : f32
    %s25 = arith.addf %s24, %b25 : f32
    %s26 = arith.addf %s25, %b26 : f32
    %s27 = arith.addf %s26, %b27 : f32
    %s28 = arith.addf %s27, %b28 : f32
    %s29 = arith.addf %s28, %b29 : f32
    %s30 = arith.addf %s29, %b30 : f32
    %s31 = arith.addf %s30, %b31 : f32
    %s32 = arith.addf %s31, %b32 : f32
    %s33 = arith.addf %s32, %b33 : f32
    %s34 = arith.addf %s33, %b34 : f32
    %s35 = arith.addf %s34, %b35 : f32
    %s36 = arith.addf %s35, %b36 : f32
    %s37 = arith.addf %s36, %b37 : f32
    %s38 = arith.addf %s37, %b38 : f32
    %s39 = arith.addf %s38, %b39 : f32
    linalg.yield %s39 : f32
  } -> tensor<4x37xf32>
  return %r : tensor<4x37xf32>
}

// One that is written anew: what it reads is a reshape, of which it takes the shape.
func.func @reshaped(%x0: tensor<4x35xf32>, %x1: tensor<4x5x7xf32>, %x2: tensor<4x5x7xf32>, %x3:
      tensor<4x5x7xf32>, %x4: tensor<4x5x7xf32>, %x5: tensor<4x5x7xf32>, %x6: tensor<4x5x7xf32>,
      %x7: tensor<4x5x7xf32>, %x8: tensor<4x5x7xf32>, %x9: tensor<4x5x7xf32>, %x10:
      tensor<4x5x7xf32>, %x11: tensor<4x5x7xf32>, %x12: tensor<4x5x7xf32>, %x13: tensor<4x5x7xf32>,
      %x14: tensor<4x5x7xf32>, %x15: tensor<4x5x7xf32>, %x16: tensor<4x5x7xf32>, %x17:
      tensor<4x5x7xf32>, %x18: tensor<4x5x7xf32>, %x19: tensor<4x5x7xf32>) -> tensor<4x5x7xf32> {
  %e = tensor.empty() : tensor<4x5x7xf32>
  %x = tensor.expand_shape %x0 [[0], [1, 2]] output_shape [4, 5, 7] : tensor<4x35xf32> into tensor<4x5x7xf32>
  %r = linalg.generic {indexing_maps = [#cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube,
      #cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube, #cube],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16,
      %x17, %x18, %x19 : tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>,
      tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>,
      tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>,
      tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>,
      tensor<4x5x7xf32>)
      outs(%e : tensor<4x5x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %b2: f32, %b3: f32, %b4: f32, %b5: f32, %b6: f32, %b7: f32, %b8: f32,
      %b9: f32, %b10: f32, %b11: f32, %b12: f32, %b13: f32, %b14: f32, %b15: f32, %b16: f32, %b17:
      f32, %b18: f32, %b19: f32, %o: f32):
    %s1 = arith.addf %b0, %b1 : f32
    %s2 = arith.addf %s1, %b2 : f32
    %s3 = arith.addf %s2, %b3 : f32
    %s4 = arith.addf %s3, %b4 : f32
    %s5 = arith.addf %s4, %b5 : f32
    %s6 = arith.addf %s5, %b6 : f32
    %s7 = arith.addf %s6, %b7 : f32
    %s8 = arith.addf %s7, %b8 : f32
    %s9 = arith.addf %s8, %b9 : f32
    %s10 = arith.addf %s9, %b10 : f32
    %s11 = arith.addf %s10, %b11 : f32
    %s12 = arith.addf %s11, %b12 : f32
    %s13 = arith.addf %s12, %b13 : f32
    %s14 = arith.addf %s13, %b14 : f32
    %s15 = arith.addf %s14, %b15 : f32
    %s16 = arith.addf %s15, %b16 : f32
    %s17 = arith.addf %s16, %b17 : f32
    %s18 = arith.addf %s17, %b18 : f32
    %s19 = arith.addf %s18, %b19 : f32
    linalg.yield %s19 : f32
  } -> tensor<4x5x7xf32>
  return %r : tensor<4x5x7xf32>
}
