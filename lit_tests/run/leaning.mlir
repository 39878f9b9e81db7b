// What its roundings decide is told apart from what is wrong: numbers that are nearly equal and are
// compared, what is rounded to a whole number, what is taken from another of nearly its size
// (transforms/lower/cpu/leaning.h). Each is right by its rule, and without leaning would not be.
// RUN: tune-run %s --function=compared --db= --strict --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=quantized --db= --strict --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=cancelled --db= --strict --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=narrow --db= --strict --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=rounded_first --db= --strict --time=0.001 | FileCheck %s
// RUN: tune-run %s --function=asserted --db= --strict --time=0.001 | FileCheck %s
// CHECK: 1 task (by default)
// CHECK: Check ok

// The reference of what has sums and products alone does not lean.
// RUN: tune-worker --build=%s --function=compared --plain --emit=llvm -o - | FileCheck %s --check-prefix=LEANS
// RUN: tune-worker --build=%s --function=turns --plain --emit=llvm -o - | FileCheck %s --check-prefix=LEANS
// RUN: tune-worker --build=%s --function=compared --emit=llvm -o - | FileCheck %s --check-prefix=STANDS
// RUN: tune-worker --build=%examples/matmul_bias_relu_64x64x64_f32.mlir --plain --emit=llvm -o - | FileCheck %s --check-prefix=STANDS
// RUN: tune-worker --build=%s --function=ordered --plain --emit=llvm -o - | FileCheck %s --check-prefix=STANDS
// LEANS: @tune_leaning = {{.*}}global [3 x double] zeroinitializer
// STANDS-NOT: tune_leaning

#map = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#row = affine_map<(d0) -> (d0)>

// tanh(x) is below x or not as its last bit is, for small x.
func.func @compared(%a: tensor<65x1632xf32>) -> tensor<65x1632xf32> {
  %half = arith.constant 0.5 : f32
  %init = tensor.empty() : tensor<65x1632xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<65x1632xf32>) outs(%init : tensor<65x1632xf32>) {
    ^bb0(%x: f32, %o: f32):
      %t = math.tanh %x : f32
      %m = arith.minnumf %t, %x : f32
      %u = math.tanh %m : f32
      %less = arith.cmpf ult, %u, %x : f32
      %s = arith.select %less, %u, %half : f32
      linalg.yield %s : f32
  } -> tensor<65x1632xf32>
  return %r : tensor<65x1632xf32>
}

// To bytes, after a function: one step up or down in a few places.
func.func @quantized(%a: tensor<1024x1024xf32>) -> tensor<1024x1024xi8> {
  %scale = arith.constant 127.0 : f32
  %init = tensor.empty() : tensor<1024x1024xi8>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1024x1024xf32>) outs(%init : tensor<1024x1024xi8>) {
    ^bb0(%x: f32, %o: i8):
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %scale : f32
      %n = math.roundeven %y : f32
      %q = arith.fptosi %n : f32 to i8
      linalg.yield %q : i8
  } -> tensor<1024x1024xi8>
  return %r : tensor<1024x1024xi8>
}

// The difference of two sigmoids is small beside them.
func.func @cancelled(%a: tensor<48x65xf32>, %b: tensor<48x65xf32>) -> tensor<48x65xf32> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %init = tensor.empty() : tensor<48x65xf32>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<48x65xf32>, tensor<48x65xf32>) outs(%init : tensor<48x65xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p0 = arith.mulf %y, %half : f32
      %p1 = arith.subf %x, %p0 : f32
      %p2 = arith.mulf %p1, %half : f32
      %p3 = math.absf %p2 : f32
      %p4 = arith.negf %p3 : f32
      %p5 = math.exp %p4 : f32
      %p6 = arith.addf %p5, %one : f32
      %p7 = arith.divf %one, %p6 : f32
      %q0 = math.absf %p7 : f32
      %q1 = arith.negf %q0 : f32
      %q2 = math.exp %q1 : f32
      %q3 = arith.addf %q2, %one : f32
      %q4 = arith.divf %one, %q3 : f32
      %q5 = arith.mulf %q4, %half : f32
      %q6 = arith.mulf %p7, %half : f32
      %q7 = arith.subf %q5, %q6 : f32
      %t = math.tanh %q7 : f32
      linalg.yield %t : f32
  } -> tensor<48x65xf32>
  return %r : tensor<48x65xf32>
}

// In bf16 the same numbers are equal where each op rounds, and not where it is computed in f32.
func.func @narrow(%a: tensor<768x132xbf16>) -> tensor<768x132xbf16> {
  %half = arith.constant 0.5 : bf16
  %init = tensor.empty() : tensor<768x132xbf16>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<768x132xbf16>) outs(%init : tensor<768x132xbf16>) {
    ^bb0(%x: bf16, %o: bf16):
      %t = math.tanh %x : bf16
      %u = math.tanh %t : bf16
      %other = arith.cmpf une, %u, %x : bf16
      %s = arith.select %other, %u, %half : bf16
      linalg.yield %s : bf16
  } -> tensor<768x132xbf16>
  return %r : tensor<768x132xbf16>
}

// A body that begins with a rounding, and one that takes numbers which are whole already: to make
// these a little smaller would make each of them another byte.
func.func @rounded_first(%a: tensor<256x512xf32>, %b: tensor<256x512xf32>) -> tensor<256x512xi8> {
  %three = arith.constant 3.0 : f32
  %init = tensor.empty() : tensor<256x512xf32>
  %product = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<256x512xf32>, tensor<256x512xf32>) outs(%init : tensor<256x512xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      linalg.yield %p : f32
  } -> tensor<256x512xf32>
  %rounded = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<256x512xf32>) outs(%init : tensor<256x512xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = math.roundeven %x : f32
      linalg.yield %n : f32
  } -> tensor<256x512xf32>
  %moved = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%rounded : tensor<256x512xf32>) outs(%init : tensor<256x512xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.addf %x, %three : f32
      linalg.yield %n : f32
  } -> tensor<256x512xf32>
  %bytes_init = tensor.empty() : tensor<256x512xi8>
  %bytes = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%moved : tensor<256x512xf32>) outs(%bytes_init : tensor<256x512xi8>) {
    ^bb0(%x: f32, %o: i8):
      %q = arith.fptosi %x : f32 to i8
      linalg.yield %q : i8
  } -> tensor<256x512xi8>
  return %bytes : tensor<256x512xi8>
}

// What is asserted of nearly equal numbers need not hold where these lean.
func.func @asserted(%a: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x48xf32>) outs(%init : tensor<64x48xf32>) {
    ^bb0(%x: f32, %o: f32):
      %p = arith.mulf %x, %x : f32
      %m = arith.maximumf %p, %zero : f32
      %holds = arith.cmpf oge, %m, %p : f32
      cf.assert %holds, "a maximum below what it is of"
      linalg.yield %m : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// Whether it is a number is nothing that roundings decide.
func.func @ordered(%a: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %half = arith.constant 0.5 : f32
  %init = tensor.empty() : tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x48xf32>) outs(%init : tensor<64x48xf32>) {
    ^bb0(%x: f32, %o: f32):
      %p = arith.mulf %x, %x : f32
      %is_number = arith.cmpf ord, %p, %p : f32
      %y = arith.select %is_number, %p, %half : f32
      linalg.yield %y : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// What a turn of a loop sums up is rounded in the next one, ahead of where that is done.
func.func @turns(%a: tensor<4096x64xf32>) -> tensor<4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 65536.0 : f32
  %init = tensor.empty() : tensor<4096xf32>
  %none = linalg.fill ins(%zero : f32) outs(%init : tensor<4096xf32>) -> tensor<4096xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %none, %s = %none)
      -> (tensor<4096xf32>, tensor<4096xf32>) {
    %n = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%t : tensor<4096xf32>) outs(%s : tensor<4096xf32>) {
      ^bb0(%x: f32, %o: f32):
        %y = math.roundeven %x : f32
        %z = arith.addf %y, %o : f32
        linalg.yield %z : f32
    } -> tensor<4096xf32>
    %u = linalg.generic {indexing_maps = [#map, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4096x64xf32>) outs(%t : tensor<4096xf32>) {
      ^bb0(%x: f32, %o: f32):
        %y = arith.mulf %x, %scale : f32
        %z = arith.addf %y, %o : f32
        linalg.yield %z : f32
    } -> tensor<4096xf32>
    scf.yield %u, %n : tensor<4096xf32>, tensor<4096xf32>
  }
  return %r#1 : tensor<4096xf32>
}
