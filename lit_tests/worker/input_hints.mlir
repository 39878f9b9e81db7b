// RUN: tune-worker --build %s --function=network --emit=signature | tr -d '\n ' | tr '{' '\n' | FileCheck %s
// RUN: tune-worker --build %s --function=integers --emit=signature | tr -d '\n ' | tr '{' '\n' | FileCheck %s --check-prefix=INTEGERS
// RUN: tune-worker --build %s --function=turns --emit=signature | tr -d '\n ' | tr '{' '\n' | FileCheck %s --check-prefix=TURNS
// Which values arguments get, read off how they are used.

// Ids within the table, through the wrap of negative ones and a widening.
// CHECK: "type":"i32","shape":[16]{{.*}}"range":[0.0,999.0]
// CHECK-NEXT: "type":"f32","shape":[1000,48],"access":"read"}
// A weight, through a transposition and a call; sqrt(3 / 48).
// CHECK-NEXT: "shape":[64,48]{{.*}}"range":[-0.25,0.25]
// Variances, through a reshape, a broadcast and an addition of a constant.
// CHECK-NEXT: "shape":[8,8]{{.*}}"range":[0.5,1.5]
// Masks.
// CHECK-NEXT: "shape":[16,64]{{.*}}"range":[0.0,1.0],"whole":true
// CHECK-NEXT: "type":"i64","shape":[64]{{.*}}"range":[{{.*}}],"flag":true
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func private @linear(%x: tensor<16x48xf32>, %w: tensor<64x48xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x64xf32>
  %t = linalg.transpose ins(%w : tensor<64x48xf32>) outs(%e : tensor<48x64xf32>) permutation = [1, 0]
  %s = tensor.empty() : tensor<16x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.matmul ins(%x, %t : tensor<16x48xf32>, tensor<48x64xf32>)
                     outs(%f : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %p : tensor<16x64xf32>
}
func.func @network(%ids: tensor<16xi32>, %table: tensor<1000x48xf32>, %w: tensor<64x48xf32>,
                   %variance: tensor<8x8xf32>, %mask: tensor<16x64xf32>, %keep: tensor<64xi64>)
    -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %rows = arith.constant 1000 : i64
  %least = arith.constant 1.0e-5 : f32
  %one = arith.constant 1.0 : f32
  %far = arith.constant -1.0e+9 : f32
  %xe = tensor.empty() : tensor<16x48xf32>
  %x = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<16xi32>) outs(%xe : tensor<16x48xf32>) {
  ^bb0(%n: i32, %o: f32):
    %wide = arith.extsi %n : i32 to i64
    %wrapped = arith.addi %wide, %rows : i64
    %is_negative = arith.cmpi slt, %wide, %none : i64
    %at = arith.select %is_negative, %wrapped, %wide : i64
    %i = arith.index_cast %at : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<1000x48xf32>
    linalg.yield %v : f32
  } -> tensor<16x48xf32>
  %y = call @linear(%x, %w) : (tensor<16x48xf32>, tensor<64x48xf32>) -> tensor<16x64xf32>
  %flat = tensor.collapse_shape %variance [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %all = linalg.broadcast ins(%flat : tensor<64xf32>) outs(%e : tensor<16x64xf32>) dimensions = [0]
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #column, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %all, %mask, %keep : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>,
          tensor<64xi64>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %s: f32, %m: f32, %k: i64, %o: f32):
    %s1 = arith.addf %s, %least : f32
    %root = math.rsqrt %s1 : f32
    %n = arith.mulf %a, %root : f32
    %off = arith.subf %one, %m : f32
    %bias = arith.mulf %off, %far : f32
    %b = arith.addf %n, %bias : f32
    %is_kept = arith.cmpi ne, %k, %none : i64
    %c = arith.select %is_kept, %b, %zero : f32
    linalg.yield %c : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// What is divided and shifted is any integer, what it is divided by neither 0 nor -1, what it is
// shifted by less than its width; what becomes a float is small.
// INTEGERS: "range":[-2147483648.0,2147483647.0]
// INTEGERS-NEXT: "range":[-2147483647.0,2147483647.0],"divisor":true
// INTEGERS-NEXT: "range":[0.0,31.0]
// INTEGERS-NEXT: "range":[-99.0,99.0]
// A float that becomes an i8, times two.
// INTEGERS-NEXT: "range":[-32.0,32.0]
// INTEGERS: "partial":true
#all = affine_map<(i) -> (i)>
func.func @integers(%x: tensor<8xi32>, %by: tensor<8xi32>, %shift: tensor<8xi32>,
                    %count: tensor<8xi32>, %f: tensor<8xf32>)
    -> (tensor<8xi32>, tensor<8xf32>, tensor<8xi8>) {
  %two = arith.constant 2.0 : f32
  %e0 = tensor.empty() : tensor<8xi32>
  %e1 = tensor.empty() : tensor<8xf32>
  %e2 = tensor.empty() : tensor<8xi8>
  %r:3 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all, #all, #all, #all],
                         iterator_types = ["parallel"]}
      ins(%x, %by, %shift, %count, %f
          : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>)
      outs(%e0, %e1, %e2 : tensor<8xi32>, tensor<8xf32>, tensor<8xi8>) {
  ^bb0(%a: i32, %b: i32, %s: i32, %c: i32, %v: f32, %o0: i32, %o1: f32, %o2: i8):
    %q = arith.divsi %a, %b : i32
    %t = arith.shrsi %q, %s : i32
    %w = arith.sitofp %c : i32 to f32
    %d = arith.mulf %v, %two : f32
    %n = arith.fptosi %d : f32 to i8
    linalg.yield %t, %w, %n : i32, f32, i8
  } -> (tensor<8xi32>, tensor<8xf32>, tensor<8xi8>)
  return %r#0, %r#1, %r#2 : tensor<8xi32>, tensor<8xf32>, tensor<8xi8>
}

// How often a loop turns is at least once, and below the dimensions; so is where one of a fixed
// length ends. What is compared with a constant, and many numbers, are any.
// TURNS: "shape":[4,8]
// TURNS-NEXT: "type":"i32","shape":[],{{.*}}"range":[1.0,3.0]
// TURNS-NEXT: "kind":"scalar","type":"i64","range":[1.0,3.0]
// TURNS-NEXT: "kind":"scalar","type":"i32","range":[1.0,3.0]
// TURNS-NEXT: "kind":"scalar","type":"i32","range":[-2147483648.0,2147483647.0]
// TURNS-NEXT: "type":"i32","shape":[8],{{.*}}"range":[-2147483648.0,2147483647.0]
func.func @turns(%x: tensor<4x8xf32>, %n: tensor<i32>, %most: i64, %end: i32, %large: i32,
                 %data: tensor<8xi32>) -> (tensor<4x8xf32>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : index
  %s = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %many = arith.constant 1000 : i32
  %m = tensor.extract %n[] : tensor<i32>
  %r:2 = scf.while (%a = %x, %i = %c0) : (tensor<4x8xf32>, i32) -> (tensor<4x8xf32>, i32) {
    %wide = arith.extsi %i : i32 to i64
    %t0 = arith.cmpi slt, %i, %m : i32
    %t1 = arith.cmpi slt, %wide, %most : i64
    %t = arith.andi %t0, %t1 : i1
    scf.condition(%t) %a, %i : tensor<4x8xf32>, i32
  } do {
  ^bb0(%b: tensor<4x8xf32>, %j: i32):
    %e = tensor.empty() : tensor<4x8xf32>
    %c = linalg.tanh ins(%b : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %k = arith.addi %j, %c1 : i32
    scf.yield %c, %k : tensor<4x8xf32>, i32
  }
  %above = arith.cmpi sgt, %large, %many : i32
  %begin = scf.if %above -> i32 {
    scf.yield %c1 : i32
  } else {
    scf.yield %c0 : i32
  }
  %f = scf.for %i = %z to %c8 step %s iter_args(%sum = %begin) -> i32 {
    %v = tensor.extract %data[%i] : tensor<8xi32>
    %is = arith.cmpi slt, %sum, %end : i32
    %isnt = arith.cmpi ne, %v, %sum : i32
    %next = scf.if %is -> i32 {
      %more = scf.if %isnt -> i32 {
        %add = arith.addi %sum, %c1 : i32
        scf.yield %add : i32
      } else {
        scf.yield %sum : i32
      }
      scf.yield %more : i32
    } else {
      scf.yield %sum : i32
    }
    scf.yield %next : i32
  }
  return %r#0, %f : tensor<4x8xf32>, i32
}
