// Attention in the forms that front ends write is one task: of sizes that fill no vectors, with rows
// that a mask may hide, with maxima that know their place, with masks of integers, with V first. Keys
// that there are not are hidden only where that changes nothing.
// RUN: tune-opt %s --tune-extract=all -o %t.mlir 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: FileCheck %s < %t.mlir
// RUN: tune-run %s --function=odd --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=hidden --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=hidden_odd --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=causal --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=v_first --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=noticed --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=odd --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=hidden_odd --db= --strict --check --time=0.01 --target=cpu:x86-64-v2 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

// CHECK-LABEL: func.func @odd(
// CHECK: tensor.insert_slice %{{.*}} : tensor<40x45xf32> into tensor<40x48xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [2, 37, 31] [1, 1, 1] : tensor<2x40x32xf32> to tensor<2x37x31xf32>
// CHECK-LABEL: func.func @hidden(
// CHECK-NOT: i1>
// CHECK-LABEL: func.func @causal(
// CHECK-NOT: i1>
// CHECK-LABEL: func.func @noticed(
// CHECK-NOT: tensor.insert_slice
// CHECK-LABEL: func.func private

// Rows in blocks of four, all else by 16; the mask gets zeroes behind it, and the result is cut.
// TASKS: attention 2x40x48x32 f32
func.func @odd(%q: tensor<2x37x30xf32>, %k: tensor<2x45x30xf32>, %v: tensor<2x45x31xf32>, %mask: tensor<37x45xf32>) -> tensor<2x37x31xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %s0 = tensor.empty() : tensor<2x37x45xf32>
  %r0 = tensor.empty() : tensor<2x37xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x37x45xf32>) -> tensor<2x37x45xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x37x30xf32>, tensor<2x45x30xf32>) outs(%s1 : tensor<2x37x45xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x37x45xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<2x37x45xf32>, tensor<37x45xf32>) outs(%s0 : tensor<2x37x45xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %scale = arith.constant 0.25 : f32
    %0 = arith.mulf %a, %scale : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x37x45xf32>
  %w = linalg.softmax dimension(2) ins(%x : tensor<2x37x45xf32>) outs(%s0 : tensor<2x37x45xf32>) -> tensor<2x37x45xf32>
  %o0 = tensor.empty() : tensor<2x37x31xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x37x31xf32>) -> tensor<2x37x31xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x37x45xf32>, tensor<2x45x31xf32>) outs(%o1 : tensor<2x37x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x37x31xf32>
  return %r : tensor<2x37x31xf32>
}

// Rows that are hidden from end to end, by the maximum.
// TASKS: attention 2x48x64x16 f32
func.func @hidden(%q: tensor<2x48x16xf32>, %k: tensor<2x64x16xf32>, %v: tensor<2x64x16xf32>) -> tensor<2x48x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %s0 = tensor.empty() : tensor<2x48x64xf32>
  %r0 = tensor.empty() : tensor<2x48xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x48x16xf32>, tensor<2x64x16xf32>) outs(%s1 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x48x64xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%r0 : tensor<2x48xf32>) -> tensor<2x48xf32>
  %zero_i64 = arith.constant 0 : i64
  %p0 = tensor.empty() : tensor<2x48xi64>
  %p1 = linalg.fill ins(%zero_i64 : i64) outs(%p0 : tensor<2x48xi64>) -> tensor<2x48xi64>
  %m:2 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x48x64xf32>) outs(%m0, %p1 : tensor<2x48xf32>, tensor<2x48xi64>) {
  ^bb0(%a: f32, %o: f32, %p: i64):
    %0 = linalg.index 2 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.maximumf %a, %o : f32
    %3 = arith.cmpf ogt, %a, %o : f32
    %4 = arith.select %3, %1, %p : i64
    linalg.yield %2, %4 : f32, i64
  } -> (tensor<2x48xf32>, tensor<2x48xi64>)
  %e = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m#0 : tensor<2x48x64xf32>, tensor<2x48xf32>) outs(%s0 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x48x64xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<2x48xf32>) -> tensor<2x48xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x48x64xf32>) outs(%t0 : tensor<2x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x48xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x48x64xf32>, tensor<2x48xf32>) outs(%s0 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x48x64xf32>
  %least64 = arith.constant 0xFFF0000000000000 : f64
  %yes = arith.constant true
  %h0 = tensor.empty() : tensor<2x48x64xi1>
  %h1 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x48x64xf32>) outs(%h0 : tensor<2x48x64xi1>) {
  ^bb0(%a: f32, %o: i1):
    %0 = arith.extf %a : f32 to f64
    %1 = arith.cmpf oeq, %0, %least64 : f64
    linalg.yield %1 : i1
  } -> tensor<2x48x64xi1>
  %h2 = tensor.empty() : tensor<2x48xi1>
  %h3 = linalg.fill ins(%yes : i1) outs(%h2 : tensor<2x48xi1>) -> tensor<2x48xi1>
  %h4 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1 : tensor<2x48x64xi1>) outs(%h3 : tensor<2x48xi1>) {
  ^bb0(%a: i1, %o: i1):
    %0 = arith.andi %a, %o : i1
    linalg.yield %0 : i1
  } -> tensor<2x48xi1>
  %nothing = arith.constant dense<0.0> : tensor<2x48x64xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h4, %nothing, %u : tensor<2x48xi1>, tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%s0 : tensor<2x48x64xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %o: f32):
    %0 = arith.select %a, %b, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x48x64xf32>
  %o0 = tensor.empty() : tensor<2x48x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x48x16xf32>) -> tensor<2x48x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x48x64xf32>, tensor<2x64x16xf32>) outs(%o1 : tensor<2x48x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x48x16xf32>
  return %r : tensor<2x48x16xf32>
}

// The same read through a value that repeats it; the maximum begins with zero. Sizes are odd.
// TASKS: attention 2x40x48x16 f32
func.func @hidden_odd(%q: tensor<2x38x16xf32>, %k: tensor<2x47x16xf32>, %v: tensor<2x47x16xf32>) -> tensor<2x38x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %s0 = tensor.empty() : tensor<2x38x47xf32>
  %r0 = tensor.empty() : tensor<2x38xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x38x47xf32>) -> tensor<2x38x47xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x38x16xf32>, tensor<2x47x16xf32>) outs(%s1 : tensor<2x38x47xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x38x47xf32>
  %m0 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<2x38xf32>) -> tensor<2x38xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x38x47xf32>) outs(%m0 : tensor<2x38xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x38xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<2x38x47xf32>, tensor<2x38xf32>) outs(%s0 : tensor<2x38x47xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x38x47xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<2x38xf32>) -> tensor<2x38xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x38x47xf32>) outs(%t0 : tensor<2x38xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x38xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x38x47xf32>, tensor<2x38xf32>) outs(%s0 : tensor<2x38x47xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x38x47xf32>
  %least64 = arith.constant 0xFFF0000000000000 : f64
  %yes = arith.constant true
  %h0 = tensor.empty() : tensor<2x38x47xi1>
  %h1 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x38x47xf32>) outs(%h0 : tensor<2x38x47xi1>) {
  ^bb0(%a: f32, %o: i1):
    %0 = arith.extf %a : f32 to f64
    %1 = arith.cmpf oeq, %0, %least64 : f64
    linalg.yield %1 : i1
  } -> tensor<2x38x47xi1>
  %h2 = tensor.empty() : tensor<2x38xi1>
  %h3 = linalg.fill ins(%yes : i1) outs(%h2 : tensor<2x38xi1>) -> tensor<2x38xi1>
  %h4 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1 : tensor<2x38x47xi1>) outs(%h3 : tensor<2x38xi1>) {
  ^bb0(%a: i1, %o: i1):
    %0 = arith.andi %a, %o : i1
    linalg.yield %0 : i1
  } -> tensor<2x38xi1>
  %h5 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h4 : tensor<2x38xi1>) outs(%h0 : tensor<2x38x47xi1>) {
  ^bb0(%a: i1, %o: i1):
    linalg.yield %a : i1
  } -> tensor<2x38x47xi1>
  %nothing = arith.constant dense<0.0> : tensor<2x38x47xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h5, %nothing, %u : tensor<2x38x47xi1>, tensor<2x38x47xf32>, tensor<2x38x47xf32>) outs(%s0 : tensor<2x38x47xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %o: f32):
    %0 = arith.select %a, %b, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x38x47xf32>
  %o0 = tensor.empty() : tensor<2x38x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x38x16xf32>) -> tensor<2x38x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x38x47xf32>, tensor<2x47x16xf32>) outs(%o1 : tensor<2x38x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x38x16xf32>
  return %r : tensor<2x38x16xf32>
}

// A mask of indices is made where the scores are.
// TASKS: attention 2x40x48x16 f32
func.func @causal(%q: tensor<2x40x16xf32>, %k: tensor<2x40x16xf32>, %v: tensor<2x40x16xf32>) -> tensor<2x40x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %s0 = tensor.empty() : tensor<2x40x40xf32>
  %r0 = tensor.empty() : tensor<2x40xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x40x16xf32>, tensor<2x40x16xf32>) outs(%s1 : tensor<2x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x40x40xf32>
  %eight = arith.constant dense<4.0> : tensor<f32>
  %x0 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> ()>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %eight : tensor<2x40x40xf32>, tensor<f32>) outs(%s0 : tensor<2x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x40x40xf32>
  %i0 = tensor.empty() : tensor<40x40xi32>
  %i1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%i0 : tensor<40x40xi32>) {
  ^bb0(%o: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  } -> tensor<40x40xi32>
  %i2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%i0 : tensor<40x40xi32>) {
  ^bb0(%o: i32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  } -> tensor<40x40xi32>
  %b0 = tensor.empty() : tensor<40x40xi1>
  %b1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i1, %i2 : tensor<40x40xi32>, tensor<40x40xi32>) outs(%b0 : tensor<40x40xi1>) {
  ^bb0(%a: i32, %b: i32, %o: i1):
    %0 = arith.cmpi sge, %a, %b : i32
    linalg.yield %0 : i1
  } -> tensor<40x40xi1>
  %b2 = tensor.empty() : tensor<2x40x40xi1>
  %b3 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b1 : tensor<40x40xi1>) outs(%b2 : tensor<2x40x40xi1>) {
  ^bb0(%a: i1, %o: i1):
    linalg.yield %a : i1
  } -> tensor<2x40x40xi1>
  %far = arith.constant dense<-1.0e30> : tensor<f32>
  %f0 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> ()>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%far : tensor<f32>) outs(%s0 : tensor<2x40x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x40x40xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b3, %x0, %f0 : tensor<2x40x40xi1>, tensor<2x40x40xf32>, tensor<2x40x40xf32>) outs(%s0 : tensor<2x40x40xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %o: f32):
    %0 = arith.select %a, %b, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x40x40xf32>
  %w = linalg.softmax dimension(2) ins(%x : tensor<2x40x40xf32>) outs(%s0 : tensor<2x40x40xf32>) -> tensor<2x40x40xf32>
  %o0 = tensor.empty() : tensor<2x40x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x40x16xf32>) -> tensor<2x40x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x40x40xf32>, tensor<2x40x16xf32>) outs(%o1 : tensor<2x40x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x40x16xf32>
  return %r : tensor<2x40x16xf32>
}

// V is the first factor.
// TASKS: attention 2x32x48x16 f32
func.func @v_first(%q: tensor<2x32x16xf32>, %k: tensor<2x48x16xf32>, %v: tensor<2x48x16xf32>) -> tensor<2x32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %s0 = tensor.empty() : tensor<2x32x48xf32>
  %r0 = tensor.empty() : tensor<2x32xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x32x16xf32>, tensor<2x48x16xf32>) outs(%s1 : tensor<2x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x32x48xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<2x32x48xf32>) outs(%s0 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %o0 = tensor.empty() : tensor<2x32x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v, %w : tensor<2x48x16xf32>, tensor<2x32x48xf32>) outs(%o1 : tensor<2x32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x32x16xf32>
  return %r : tensor<2x32x16xf32>
}

// A sum to which each key adds 1 would notice more keys.
// TASKS-NOT: : attention
// TASKS: task {{[0-9]+}}: {{.*}}37x45
func.func @noticed(%q: tensor<2x37x16xf32>, %k: tensor<2x45x16xf32>, %v: tensor<2x45x16xf32>) -> tensor<2x37x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %s0 = tensor.empty() : tensor<2x37x45xf32>
  %r0 = tensor.empty() : tensor<2x37xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x37x45xf32>) -> tensor<2x37x45xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x37x16xf32>, tensor<2x45x16xf32>) outs(%s1 : tensor<2x37x45xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x37x45xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r0 : tensor<2x37xf32>) -> tensor<2x37xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x37x45xf32>) outs(%t0 : tensor<2x37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %0 = math.exp %a : f32
    %1 = arith.addf %0, %one : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<2x37xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %t : tensor<2x37x45xf32>, tensor<2x37xf32>) outs(%s0 : tensor<2x37x45xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.divf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x37x45xf32>
  %o0 = tensor.empty() : tensor<2x37x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x37x16xf32>) -> tensor<2x37x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x37x45xf32>, tensor<2x45x16xf32>) outs(%o1 : tensor<2x37x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x37x16xf32>
  return %r : tensor<2x37x16xf32>
}
