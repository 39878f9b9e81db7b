// Factors of f32 that may be bytes: rounded by scales that are made of them as they come, multiplied
// as bytes, and added up as whole numbers.
// REQUIRES: nightly || !asan
// RUN: tune-opt %s --tune-extract=all -o %t.mlir 2>&1 | FileCheck %s
// Of a row of a factor, and of a column of constants, there is one scale each.
// CHECK: : max 128 over 96 f32;
// CHECK: : math 96x128 f32->i8
// CHECK: : max 37 over 96 f32;
// CHECK: : elementwise 37x96 f32->i8
// CHECK: : matmul 37x128x96 i8->i32
// What is multiplied by several is rounded once.
// CHECK: : max 40 over 64 f32; {{.*}}, 1 occurrence
// CHECK: : elementwise 40x64 f32->i8 {{.*}}, 1 occurrence
// Images have one each, filters one for each channel of the result.
// CHECK: : max 96 over 16x3x3 f32
// CHECK: : max over 16x14x14 f32
// CHECK: : conv 96x14x14 over 16x3x3 i8->i32
// Weights that are repeated for each image are looked at once.
// CHECK: : matmul 48x96x64 i8->i32 +mul +mul +mul;

// DEFINE: %{run} = tune-run %s --strict --check --db= --time=0.001
// RUN: %{run} --function=product | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=added | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=turned | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=batched | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=one | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=again | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=windows | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=row | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=shared | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=image | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=nhwc | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=strided | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=unmarked | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=product --threads=2 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=batched --threads=2 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: %{run} --function=image --threads=2 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok: {{.*}}factors in int8

// What is made of constants is made ahead, also by one task for two calls with others between: each
// has memory of its own.
// RUN: %{run} --function=layers --profile | FileCheck %s --check-prefix=AHEAD --implicit-check-not="96x96 f32->i8" --implicit-check-not="max 96"
// AHEAD: Check {{ *}}ok: {{.*}}factors in int8
// AHEAD: matmul 80x96x96 i8->i32

// It is what the words say, to the bit: no element differs from what is written out here.
// RUN: tune-run %s --function=written --db= --check=false --time=0.001 --output=%t.bits
// RUN: tail -c 25600 %t.bits > %t.numbers && head -c 25600 /dev/zero | cmp - %t.numbers
// RUN: sed 's/"int8"//' %s > %t.exact.mlir
// RUN: tune-run %t.exact.mlir --function=written --db= --check=false --time=0.001 --output=%t.bits
// RUN: tail -c 25600 %t.bits > %t.numbers && head -c 25600 /dev/zero | not cmp - %t.numbers

// Scales go along the dimensions that they are said to: against bytes and scales that are computed
// elsewhere.
// RUN: mkdir -p %t.arrays && python3 %S/Inputs/byte_products.py %s %t.arrays | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: added: 0 elements are wrong
// NUMBERS: turned: 0 elements are wrong
// NUMBERS: batched: 0 elements are wrong
// NUMBERS: one: 0 elements are wrong
// NUMBERS: image: 0 elements are wrong
// NUMBERS: strided: 0 elements are wrong

// What has no such form stays what it is without the word: groups of channels, few multiplications
// for what is rounded, batches of which nothing is constant, three channels.
// CHECK: : conv 14x14x64 over 3x3 f32;
// CHECK: : matmul 128x48x96 f32;
// CHECK: : batch_matmul 4x160x160x64 f32;
// CHECK: : conv 30x30x128 over 3x3x3 f32;
// RUN: %{run} --function=depthwise | FileCheck %s --check-prefix=STAYS
// RUN: %{run} --function=narrow | FileCheck %s --check-prefix=STAYS
// RUN: %{run} --function=scores | FileCheck %s --check-prefix=STAYS
// RUN: %{run} --function=three | FileCheck %s --check-prefix=STAYS
// STAYS: Check {{ *}}ok
// STAYS-NOT: factors in

// Devices compute exactly.
// RUN: tune-opt %s --tune-print-space="target=vulkan:generic" -o - 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: matmul 37x128x96 f32 +relu
// DEVICE-NOT: int8

module attributes {tune.allow = ["int8"]} {
  func.func @product(%x: tensor<37x96xf32>, %w: tensor<96x128xf32> {tune.constant}, %b: tensor<128xf32> {tune.constant}) -> tensor<37x128xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<37x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37x128xf32>) -> tensor<37x128xf32>
    %p = linalg.matmul ins(%x, %w : tensor<37x96xf32>, tensor<96x128xf32>) outs(%f : tensor<37x128xf32>) -> tensor<37x128xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %b : tensor<37x128xf32>, tensor<128xf32>) outs(%e : tensor<37x128xf32>) {
    ^bb0(%in: f32, %bias: f32, %out: f32):
      %0 = arith.addf %in, %bias : f32
      %1 = arith.maximumf %0, %zero : f32
      linalg.yield %1 : f32
    } -> tensor<37x128xf32>
    return %r : tensor<37x128xf32>
  }
  func.func @shared(%x: tensor<40x64xf32>, %v: tensor<64x96xf32> {tune.constant}, %w: tensor<64x96xf32> {tune.constant}) -> (tensor<40x96xf32>, tensor<40x96xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<40x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x96xf32>) -> tensor<40x96xf32>
    %p = linalg.matmul ins(%x, %v : tensor<40x64xf32>, tensor<64x96xf32>) outs(%f : tensor<40x96xf32>) -> tensor<40x96xf32>
    %q = linalg.matmul ins(%x, %w : tensor<40x64xf32>, tensor<64x96xf32>) outs(%f : tensor<40x96xf32>) -> tensor<40x96xf32>
    return %p, %q : tensor<40x96xf32>, tensor<40x96xf32>
  }
  func.func @image(%x: tensor<1x16x14x14xf32>, %w: tensor<96x16x3x3xf32> {tune.constant}) -> tensor<1x96x14x14xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %zero : f32
    } : tensor<1x16x14x14xf32> to tensor<1x16x16x16xf32>
    %e = tensor.empty() : tensor<1x96x14x14xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
    %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x16x16x16xf32>, tensor<96x16x3x3xf32>) outs(%f : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
    return %r : tensor<1x96x14x14xf32>
  }
  func.func @nhwc(%x: tensor<2x9x11x16xf32>, %w: tensor<3x3x16x80xf32> {tune.constant}) -> tensor<2x7x9x80xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x7x9x80xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x9x80xf32>) -> tensor<2x7x9x80xf32>
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x9x11x16xf32>, tensor<3x3x16x80xf32>) outs(%f : tensor<2x7x9x80xf32>) -> tensor<2x7x9x80xf32>
    return %r : tensor<2x7x9x80xf32>
  }
  func.func @strided(%x: tensor<1x32x14x14xf32>, %w: tensor<256x32x1x1xf32> {tune.constant}) -> tensor<1x256x7x7xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x256x7x7xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x256x7x7xf32>) -> tensor<1x256x7x7xf32>
    %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>} ins(%x, %w : tensor<1x32x14x14xf32>, tensor<256x32x1x1xf32>) outs(%f : tensor<1x256x7x7xf32>) -> tensor<1x256x7x7xf32>
    return %r : tensor<1x256x7x7xf32>
  }
  // What it is added to is added behind the scales.
  func.func @added(%x: tensor<37x96xf32>, %w: tensor<96x128xf32> {tune.constant}, %c: tensor<37x128xf32>) -> tensor<37x128xf32> {
    %p = linalg.matmul ins(%x, %w : tensor<37x96xf32>, tensor<96x128xf32>) outs(%c : tensor<37x128xf32>) -> tensor<37x128xf32>
    return %p : tensor<37x128xf32>
  }
  func.func @turned(%x: tensor<37x96xf32>, %w: tensor<128x96xf32> {tune.constant}) -> tensor<37x128xf32> {
    %zero = arith.constant 0.0 : f32
    %t = tensor.empty() : tensor<96x128xf32>
    %u = linalg.transpose ins(%w : tensor<128x96xf32>) outs(%t : tensor<96x128xf32>) permutation = [1, 0]
    %e = tensor.empty() : tensor<37x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37x128xf32>) -> tensor<37x128xf32>
    %p = linalg.matmul ins(%x, %u : tensor<37x96xf32>, tensor<96x128xf32>) outs(%f : tensor<37x128xf32>) -> tensor<37x128xf32>
    return %p : tensor<37x128xf32>
  }
  func.func @layers(%x: tensor<80x96xf32>, %v: tensor<96x96xf32> {tune.constant}, %w: tensor<96x96xf32> {tune.constant}) -> tensor<80x96xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<80x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<80x96xf32>) -> tensor<80x96xf32>
    %g = tensor.empty() : tensor<96x96xf32>
    %a = linalg.transpose ins(%v : tensor<96x96xf32>) outs(%g : tensor<96x96xf32>) permutation = [1, 0]
    %p = linalg.matmul ins(%x, %a : tensor<80x96xf32>, tensor<96x96xf32>) outs(%f : tensor<80x96xf32>) -> tensor<80x96xf32>
    %b = linalg.transpose ins(%w : tensor<96x96xf32>) outs(%g : tensor<96x96xf32>) permutation = [1, 0]
    %q = linalg.matmul ins(%p, %b : tensor<80x96xf32>, tensor<96x96xf32>) outs(%f : tensor<80x96xf32>) -> tensor<80x96xf32>
    return %q : tensor<80x96xf32>
  }
  func.func @batched(%x: tensor<3x16x64xf32>, %w: tensor<64x96xf32> {tune.constant}) -> tensor<3x16x96xf32> {
    %zero = arith.constant 0.0 : f32
    %s = tensor.empty() : tensor<3x64x96xf32>
    %v = linalg.broadcast ins(%w : tensor<64x96xf32>) outs(%s : tensor<3x64x96xf32>) dimensions = [0]
    %e = tensor.empty() : tensor<3x16x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x16x96xf32>) -> tensor<3x16x96xf32>
    %p = linalg.batch_matmul ins(%x, %v : tensor<3x16x64xf32>, tensor<3x64x96xf32>) outs(%f : tensor<3x16x96xf32>) -> tensor<3x16x96xf32>
    return %p : tensor<3x16x96xf32>
  }
  // A batch of one.
  func.func @one(%x: tensor<1x80x64xf32>, %w: tensor<1x64x96xf32> {tune.constant}) -> tensor<1x80x96xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x80x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x80x96xf32>) -> tensor<1x80x96xf32>
    %p = linalg.batch_matmul ins(%x, %w : tensor<1x80x64xf32>, tensor<1x64x96xf32>) outs(%f : tensor<1x80x96xf32>) -> tensor<1x80x96xf32>
    return %p : tensor<1x80x96xf32>
  }
  // What is made for one product is there for another one, whatever becomes of the first.
  func.func @again(%x: tensor<2x128x96xf32>, %w: tensor<96x128xf32> {tune.constant}, %k: tensor<128x128xf32> {tune.constant}, %z: tensor<2x96x128xf32>) -> (tensor<2x128x128xf32>, tensor<2x96x128xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x96x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x96x128xf32>) -> tensor<2x96x128xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%z, %k : tensor<2x96x128xf32>, tensor<128x128xf32>) outs(%f : tensor<2x96x128xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x96x128xf32>
    %v = linalg.broadcast ins(%w : tensor<96x128xf32>) outs(%p : tensor<2x96x128xf32>) dimensions = [0]
    %g = tensor.empty() : tensor<2x128x128xf32>
    %h = linalg.fill ins(%zero : f32) outs(%g : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
    %q = linalg.batch_matmul ins(%x, %v : tensor<2x128x96xf32>, tensor<2x96x128xf32>) outs(%h : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%z, %k : tensor<2x96x128xf32>, tensor<128x128xf32>) outs(%f : tensor<2x96x128xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<2x96x128xf32>
    return %q, %r : tensor<2x128x128xf32>, tensor<2x96x128xf32>
  }
  // A filter whose windows are all the same has as many of them all the same.
  func.func @windows(%x: tensor<1x16x16x16xf32>, %w: tensor<16x96xf32> {tune.constant}) -> tensor<1x14x14x96xf32> {
    %zero = arith.constant 0.0 : f32
    %b = tensor.empty() : tensor<3x3x16x96xf32>
    %wb = linalg.broadcast ins(%w : tensor<16x96xf32>) outs(%b : tensor<3x3x16x96xf32>) dimensions = [0, 1]
    %e = tensor.empty() : tensor<1x14x14x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x14x14x96xf32>) -> tensor<1x14x14x96xf32>
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %wb : tensor<1x16x16x16xf32>, tensor<3x3x16x96xf32>) outs(%f : tensor<1x14x14x96xf32>) -> tensor<1x14x14x96xf32>
    return %r : tensor<1x14x14x96xf32>
  }
  func.func @row(%x: tensor<1x256xf32>, %w: tensor<256x512xf32> {tune.constant}) -> tensor<1x512xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x512xf32>) -> tensor<1x512xf32>
    %p = linalg.matmul ins(%x, %w : tensor<1x256xf32>, tensor<256x512xf32>) outs(%f : tensor<1x512xf32>) -> tensor<1x512xf32>
    return %p : tensor<1x512xf32>
  }
  func.func @unmarked(%x: tensor<160x64xf32>, %w: tensor<64x160xf32>) -> tensor<160x160xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<160x160xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<160x160xf32>) -> tensor<160x160xf32>
    %p = linalg.matmul ins(%x, %w : tensor<160x64xf32>, tensor<64x160xf32>) outs(%f : tensor<160x160xf32>) -> tensor<160x160xf32>
    return %p : tensor<160x160xf32>
  }

  func.func @written(%x: tensor<160x64xf32>, %w: tensor<64x160xf32>) -> tensor<160x160xi8> {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %most = arith.constant 127.0 : f32
    %share = arith.constant 0.00787401571 : f32
    %m = tensor.empty() : tensor<160xf32>
    %m0 = linalg.fill ins(%zero : f32) outs(%m : tensor<160xf32>) -> tensor<160xf32>
    %xm = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<160x64xf32>) outs(%m0 : tensor<160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.absf %in : f32
      %1 = arith.maximumf %out, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<160xf32>
    %wm = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%w : tensor<64x160xf32>) outs(%m0 : tensor<160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.absf %in : f32
      %1 = arith.maximumf %out, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<160xf32>
    %xe = tensor.empty() : tensor<160x64xi8>
    %xb = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %xm : tensor<160x64xf32>, tensor<160xf32>) outs(%xe : tensor<160x64xi8>) {
    ^bb0(%in: f32, %of: f32, %out: i8):
      %0 = arith.divf %most, %of : f32
      %1 = arith.mulf %in, %0 : f32
      %2 = math.roundeven %1 : f32
      %3 = arith.fptosi %2 : f32 to i8
      linalg.yield %3 : i8
    } -> tensor<160x64xi8>
    %we = tensor.empty() : tensor<64x160xi8>
    %wb = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%w, %wm : tensor<64x160xf32>, tensor<160xf32>) outs(%we : tensor<64x160xi8>) {
    ^bb0(%in: f32, %of: f32, %out: i8):
      %0 = arith.divf %most, %of : f32
      %1 = arith.mulf %in, %0 : f32
      %2 = math.roundeven %1 : f32
      %3 = arith.fptosi %2 : f32 to i8
      linalg.yield %3 : i8
    } -> tensor<64x160xi8>
    %ie = tensor.empty() : tensor<160x160xi32>
    %if = linalg.fill ins(%none : i32) outs(%ie : tensor<160x160xi32>) -> tensor<160x160xi32>
    %sums = linalg.matmul ins(%xb, %wb : tensor<160x64xi8>, tensor<64x160xi8>) outs(%if : tensor<160x160xi32>) -> tensor<160x160xi32>
    %e = tensor.empty() : tensor<160x160xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%sums, %xm, %wm : tensor<160x160xi32>, tensor<160xf32>, tensor<160xf32>) outs(%e : tensor<160x160xf32>) {
    ^bb0(%in: i32, %of_x: f32, %of_w: f32, %out: f32):
      %0 = arith.sitofp %in : i32 to f32
      %1 = arith.mulf %of_x, %share : f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.mulf %of_w, %share : f32
      %4 = arith.mulf %2, %3 : f32
      linalg.yield %4 : f32
    } -> tensor<160x160xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<160x160xf32>) -> tensor<160x160xf32>
    %p = linalg.matmul ins(%x, %w : tensor<160x64xf32>, tensor<64x160xf32>) outs(%f : tensor<160x160xf32>) -> tensor<160x160xf32>
    %de = tensor.empty() : tensor<160x160xi8>
    %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%p, %r : tensor<160x160xf32>, tensor<160x160xf32>) outs(%de : tensor<160x160xi8>) {
    ^bb0(%a: f32, %b: f32, %out: i8):
      %0 = arith.cmpf une, %a, %b : f32
      %1 = arith.extui %0 : i1 to i8
      linalg.yield %1 : i8
    } -> tensor<160x160xi8>
    return %d : tensor<160x160xi8>
  }

  func.func @depthwise(%x: tensor<1x16x16x64xf32>, %w: tensor<3x3x64xf32> {tune.constant}) -> tensor<1x14x14x64xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x14x14x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32>
    %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x16x16x64xf32>, tensor<3x3x64xf32>) outs(%f : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32>
    return %r : tensor<1x14x14x64xf32>
  }
  func.func @narrow(%x: tensor<128x96xf32>, %w: tensor<96x48xf32> {tune.constant}) -> tensor<128x48xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<128x48xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x48xf32>) -> tensor<128x48xf32>
    %p = linalg.matmul ins(%x, %w : tensor<128x96xf32>, tensor<96x48xf32>) outs(%f : tensor<128x48xf32>) -> tensor<128x48xf32>
    return %p : tensor<128x48xf32>
  }
  func.func @scores(%x: tensor<4x160x64xf32>, %w: tensor<4x64x160xf32>) -> tensor<4x160x160xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x160x160xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x160x160xf32>) -> tensor<4x160x160xf32>
    %p = linalg.batch_matmul ins(%x, %w : tensor<4x160x64xf32>, tensor<4x64x160xf32>) outs(%f : tensor<4x160x160xf32>) -> tensor<4x160x160xf32>
    return %p : tensor<4x160x160xf32>
  }
  func.func @three(%x: tensor<1x32x32x3xf32>, %w: tensor<3x3x3x128xf32> {tune.constant}) -> tensor<1x30x30x128xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x30x30x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x30x30x128xf32>) -> tensor<1x30x30x128xf32>
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x32x32x3xf32>, tensor<3x3x3x128xf32>) outs(%f : tensor<1x30x30x128xf32>) -> tensor<1x30x30x128xf32>
    return %r : tensor<1x30x30x128xf32>
  }
}
