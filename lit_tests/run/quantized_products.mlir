// Products of what is dequantized from bytes are products of these, with corrections for zero points and scales in
// what follows: zero points of either side, of each column, taken off as integers or as floats; bytes without a sign;
// scales of each column, or known at run time; borders; sums that are added to something; factors that are turned and
// reshaped on the way, or used elsewhere. What cannot be taken out of the sum, does not fit i32, has no instruction
// for it, or sizes that are not known, stays. The reference is of what is here.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-opt %s --tune-extract=all -o %t.out.mlir 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: sh -c 'for f in linear bytes columns given added batch image window_sums along_depth both_columns grouped few_channels; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-12: Check {{ *}}ok

#id2 = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#column = affine_map<(a, b) -> (b)>
#first = affine_map<(a, b) -> (a, 0)>
#none = affine_map<(a, b) -> ()>
#id3 = affine_map<(a, b, c) -> (a, b, c)>
#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>
#filter = affine_map<(a, b, c, d) -> (a)>

// As torch writes it, from a quantization to the next.
// CHECK-LABEL: func.func @linear(
// CHECK: call @tune_task_{{.*}} -> tensor<6x32xi8>
// CHECK: call @tune_task_{{.*}} -> tensor<24xi32>
// CHECK: call @tune_task_{{.*}} (tensor<6x32xi8>, tensor<24x32xi8>, {{.*}} -> tensor<6x24xi8>
// CHECK-NEXT: return
func.func @linear(%x: tensor<6x32xf32>, %w: tensor<24x32xi8> {tune.constant}, %s: tensor<24xf32> {tune.constant}, %b: tensor<24xf32> {tune.constant}) -> tensor<6x24xi8> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.02 : f32
  %inverse = arith.constant 50.0 : f32
  %point = arith.constant 3.0 : f32
  %i3 = arith.constant 3 : i32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<6x32xf32>
  %eb = tensor.empty() : tensor<6x32xi8>
  %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x32xf32>) outs(%e : tensor<6x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %inverse : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %point : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    linalg.yield %4 : f32
  } -> tensor<6x32xf32>
  %q = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<6x32xf32>) outs(%eb : tensor<6x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %0 = arith.fptosi %a : f32 to i8
    linalg.yield %0 : i8
  } -> tensor<6x32xi8>
  %ei = tensor.empty() : tensor<6x32xi32>
  %i = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<6x32xi8>) outs(%ei : tensor<6x32xi32>) {
  ^bb0(%a: i8, %o: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %i3 : i32
    linalg.yield %1 : i32
  } -> tensor<6x32xi32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<6x32xi32>) outs(%e : tensor<6x32xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<6x32xf32>
  %ew = tensor.empty() : tensor<24x32xf32>
  %all = linalg.broadcast ins(%s : tensor<24xf32>) outs(%ew : tensor<24x32xf32>) dimensions = [1]
  %dw = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%w, %all : tensor<24x32xi8>, tensor<24x32xf32>) outs(%ew : tensor<24x32xf32>) {
  ^bb0(%a: i8, %c: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<24x32xf32>
  %et = tensor.empty() : tensor<32x24xf32>
  %t = linalg.transpose ins(%dw : tensor<24x32xf32>) outs(%et : tensor<32x24xf32>) permutation = [1, 0]
  %ep = tensor.empty() : tensor<6x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<6x24xf32>) -> tensor<6x24xf32>
  %p = linalg.matmul ins(%d, %t : tensor<6x32xf32>, tensor<32x24xf32>) outs(%f : tensor<6x24xf32>) -> tensor<6x24xf32>
  %en = tensor.empty() : tensor<6x24xi8>
  %n = linalg.generic {indexing_maps = [#id2, #column, #id2], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<6x24xf32>, tensor<24xf32>) outs(%en : tensor<6x24xi8>) {
  ^bb0(%a: f32, %c: f32, %o: i8):
    %0 = arith.addf %a, %c : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.mulf %1, %inverse : f32
    %3 = math.roundeven %2 : f32
    %4 = arith.addf %3, %point : f32
    %5 = arith.maximumf %4, %low : f32
    %6 = arith.minimumf %5, %high : f32
    %7 = arith.fptosi %6 : f32 to i8
    linalg.yield %7 : i8
  } -> tensor<6x24xi8>
  return %n : tensor<6x24xi8>
}

// As ONNX has it: bytes without a sign, both zero points as floats. What is dequantized is used elsewhere, too.
// CHECK-LABEL: func.func @bytes(
// CHECK-DAG: call @tune_task_{{.*}} -> tensor<8xi32>
// CHECK-DAG: call @tune_task_{{.*}} -> tensor<24xi32>
// CHECK-DAG: call @tune_task_{{.*}} (tensor<8x32xi8>, tensor<32x24xi8>, {{.*}} -> tensor<8x24xf32>
// CHECK: return
func.func @bytes(%x: tensor<8x32xi8>, %w: tensor<32x24xi8>) -> (tensor<8x24xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.5 : f32
  %p128 = arith.constant 128.0 : f32
  %m5 = arith.constant -5.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x32xi8>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.subf %0, %p128 : f32
    %2 = arith.mulf %scale, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<32x24xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<32x24xi8>) outs(%ew : tensor<32x24xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.subf %0, %m5 : f32
    %2 = arith.mulf %1, %scale : f32
    linalg.yield %2 : f32
  } -> tensor<32x24xf32>
  %ep = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%d, %dw : tensor<8x32xf32>, tensor<32x24xf32>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p, %d : tensor<8x24xf32>, tensor<8x32xf32>
}

// Zero points and scales of each column.
// CHECK-LABEL: func.func @columns(
// CHECK-DAG: call @tune_task_{{.*}} -> tensor<8xi32>
// CHECK-DAG: call @tune_task_{{.*}} -> tensor<24xi32>
// CHECK-DAG: call @tune_task_{{.*}} (tensor<8x32xi8>, tensor<24x32xi8>, {{.*}} -> tensor<8x24xf32>
// CHECK: return
func.func @columns(%x: tensor<8x32xi8>, %w: tensor<24x32xi8>, %s: tensor<24x1xf32>, %z: tensor<24xi8>) -> tensor<8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.5 : f32
  %i7 = arith.constant 7 : i32
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x32xi8>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %i7 : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<24x32xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #row, #first, #id2], iterator_types = ["parallel", "parallel"]} ins(%w, %z, %s : tensor<24x32xi8>, tensor<24xi8>, tensor<24x1xf32>) outs(%ew : tensor<24x32xf32>) {
  ^bb0(%a: i8, %b: i8, %c: f32, %o: f32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %c : f32
    linalg.yield %4 : f32
  } -> tensor<24x32xf32>
  %ep = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %dw : tensor<8x32xf32>, tensor<24x32xf32>) outs(%f : tensor<8x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}

// A scale that is known at run time.
// CHECK-LABEL: func.func @given(
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: call @tune_task_{{.*}} (tensor<8x32xi8>, tensor<24x32xi8>, tensor<f32>, {{.*}} -> tensor<8x24xf32>
// CHECK-NEXT: return
func.func @given(%x: tensor<8x32xi8>, %w: tensor<24x32xi8>, %s: tensor<f32>) -> tensor<8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #none, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x32xi8>, tensor<f32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<24x32xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #none, #id2], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<24x32xi8>, tensor<f32>) outs(%ew : tensor<24x32xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<24x32xf32>
  %et = tensor.empty() : tensor<32x24xf32>
  %t = linalg.transpose ins(%dw : tensor<24x32xf32>) outs(%et : tensor<32x24xf32>) permutation = [1, 0]
  %ep = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%d, %t : tensor<8x32xf32>, tensor<32x24xf32>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}

// It is added to what is there. What has scales of 1 is bytes that are converted.
// CHECK-LABEL: func.func @added(
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: call @tune_task_{{.*}} (tensor<8x32xi8>, tensor<32x24xi8>, tensor<8x24xf32>, {{.*}} -> tensor<8x24xf32>
// CHECK-NEXT: return
func.func @added(%x: tensor<8x32xi8>, %w: tensor<32x24xi8>, %y: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x32xi8>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<32x24xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<32x24xi8>) outs(%ew : tensor<32x24xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<32x24xf32>
  %p = linalg.matmul ins(%d, %dw : tensor<8x32xf32>, tensor<32x24xf32>) outs(%y : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}

// As TOSA has it: a batch of one.
// CHECK-LABEL: func.func @batch(
// CHECK: call @tune_task_{{.*}} -> tensor<24xi32>
// CHECK: call @tune_task_{{.*}} (tensor<8x32xi8>, tensor<24x32xi8>, {{.*}} -> tensor<8x24xf32>
func.func @batch(%x: tensor<8x32xi8>, %w: tensor<24x32xi8>) -> tensor<1x8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.5> : tensor<1x1xf32>
  %point = arith.constant dense<-9> : tensor<1x1xi32>
  %ei = tensor.empty() : tensor<8x32xi32>
  %i = linalg.generic {indexing_maps = [#id2, affine_map<(a, b) -> (0, 0)>, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %point : tensor<8x32xi8>, tensor<1x1xi32>) outs(%ei : tensor<8x32xi32>) {
  ^bb0(%a: i8, %b: i32, %o: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %b : i32
    linalg.yield %1 : i32
  } -> tensor<8x32xi32>
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, affine_map<(a, b) -> (0, 0)>, #id2], iterator_types = ["parallel", "parallel"]} ins(%i, %scale : tensor<8x32xi32>, tensor<1x1xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i32, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<24x32xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<24x32xi8>) outs(%ew : tensor<24x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<24x32xf32>
  %et = tensor.empty() : tensor<32x24xf32>
  %t = linalg.transpose ins(%dw : tensor<24x32xf32>) outs(%et : tensor<32x24xf32>) permutation = [1, 0]
  %xd = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 8, 32] : tensor<8x32xf32> into tensor<1x8x32xf32>
  %xw = tensor.expand_shape %t [[0, 1], [2]] output_shape [1, 32, 24] : tensor<32x24xf32> into tensor<1x32x24xf32>
  %ep = tensor.empty() : tensor<1x8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<1x8x24xf32>) -> tensor<1x8x24xf32>
  %p = linalg.batch_matmul ins(%xd, %xw : tensor<1x8x32xf32>, tensor<1x32x24xf32>) outs(%f : tensor<1x8x24xf32>) -> tensor<1x8x24xf32>
  return %p : tensor<1x8x24xf32>
}

// Borders of zeroes are zero points; filters have scales of their own.
// CHECK-LABEL: func.func @image(
// CHECK: call @tune_task_{{.*}} -> tensor<16xi32>
// CHECK-NOT: xf32>, tensor<{{.*}}x3x3xf32>
// CHECK: return
func.func @image(%x: tensor<1x8x7x9xi8>, %w: tensor<16x8x3x3xi8> {tune.constant}, %s: tensor<16xf32> {tune.constant}, %b: tensor<16xf32> {tune.constant}) -> tensor<1x16x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.5 : f32
  %i7 = arith.constant 7 : i32
  %e = tensor.empty() : tensor<1x8x7x9xf32>
  %d = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x8x7x9xi8>) outs(%e : tensor<1x8x7x9xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %i7 : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<1x8x7x9xf32>
  %padded = tensor.pad %d low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x7x9xf32> to tensor<1x8x9x11xf32>
  %ew = tensor.empty() : tensor<16x8x3x3xf32>
  %dw = linalg.generic {indexing_maps = [#id4, #filter, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %s : tensor<16x8x3x3xi8>, tensor<16xf32>) outs(%ew : tensor<16x8x3x3xf32>) {
  ^bb0(%a: i8, %c: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<16x8x3x3xf32>
  %ep = tensor.empty() : tensor<1x16x7x9xf32>
  %f = linalg.broadcast ins(%b : tensor<16xf32>) outs(%ep : tensor<1x16x7x9xf32>) dimensions = [0, 2, 3]
  %p = linalg.conv_2d_nchw_fchw ins(%padded, %dw : tensor<1x8x9x11xf32>, tensor<16x8x3x3xf32>) outs(%f : tensor<1x16x7x9xf32>) -> tensor<1x16x7x9xf32>
  return %p : tensor<1x16x7x9xf32>
}

// Zero points of filters ask for sums of windows. Channels innermost.
// CHECK-LABEL: func.func @window_sums(
// CHECK-DAG: call @tune_task_{{.*}} -> tensor<5x6xi32>
// CHECK-DAG: call @tune_task_{{.*}} -> tensor<16xi32>
// CHECK: return
func.func @window_sums(%x: tensor<1x7x8x12xi8>, %w: tensor<3x3x12x16xi8>) -> tensor<1x5x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p3 = arith.constant 3.0 : f32
  %p9 = arith.constant 9.0 : f32
  %e = tensor.empty() : tensor<1x7x8x12xf32>
  %d = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x7x8x12xi8>) outs(%e : tensor<1x7x8x12xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.subf %0, %p9 : f32
    linalg.yield %1 : f32
  } -> tensor<1x7x8x12xf32>
  %ew = tensor.empty() : tensor<3x3x12x16xf32>
  %dw = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<3x3x12x16xi8>) outs(%ew : tensor<3x3x12x16xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.subf %0, %p3 : f32
    linalg.yield %1 : f32
  } -> tensor<3x3x12x16xf32>
  %ep = tensor.empty() : tensor<1x5x6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32>
  %p = linalg.conv_2d_nhwc_hwcf ins(%d, %dw : tensor<1x7x8x12xf32>, tensor<3x3x12x16xf32>) outs(%f : tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32>
  return %p : tensor<1x5x6x16xf32>
}

// Scales along what is summed up.
// NAMES: matmul 8x24x32 f32 +convert
func.func @along_depth(%x: tensor<8x32xi8>, %w: tensor<32x24xi8>, %s: tensor<32xf32>) -> tensor<8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x32xi8>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<32x24xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<32x24xi8>, tensor<32xf32>) outs(%ew : tensor<32x24xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<32x24xf32>
  %ep = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%d, %dw : tensor<8x32xf32>, tensor<32x24xf32>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}

// Zero points of each row, and of each column.
// NAMES: matmul 8x24x32 f32
func.func @both_columns(%x: tensor<8x32xi8>, %w: tensor<32x24xi8>, %zx: tensor<8xi8>, %zw: tensor<24xi8>) -> tensor<8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %zx : tensor<8x32xi8>, tensor<8xi8>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: i8, %b: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.sitofp %b : i8 to f32
    %2 = arith.subf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x32xf32>
  %ew = tensor.empty() : tensor<32x24xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #column, #id2], iterator_types = ["parallel", "parallel"]} ins(%w, %zw : tensor<32x24xi8>, tensor<24xi8>) outs(%ew : tensor<32x24xf32>) {
  ^bb0(%a: i8, %b: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.sitofp %b : i8 to f32
    %2 = arith.subf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<32x24xf32>
  %ep = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%d, %dw : tensor<8x32xf32>, tensor<32x24xf32>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}

// A channel with itself, and windows over three channels.
// NAMES: conv 5x6x12 over 3x3 f32
// NAMES: conv 5x6x16 over 3x3x3 f32
func.func @grouped(%x: tensor<1x7x8x12xi8>, %w: tensor<3x3x12xi8>) -> tensor<1x5x6x12xf32> {
  %zero = arith.constant 0.0 : f32
  %ed = tensor.empty() : tensor<1x7x8x12xf32>
  %d = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x7x8x12xi8>) outs(%ed : tensor<1x7x8x12xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<1x7x8x12xf32>
  %edw = tensor.empty() : tensor<3x3x12xf32>
  %dw = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<3x3x12xi8>) outs(%edw : tensor<3x3x12xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<3x3x12xf32>
  %ep = tensor.empty() : tensor<1x5x6x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<1x5x6x12xf32>) -> tensor<1x5x6x12xf32>
  %p = linalg.depthwise_conv_2d_nhwc_hwc ins(%d, %dw : tensor<1x7x8x12xf32>, tensor<3x3x12xf32>) outs(%f : tensor<1x5x6x12xf32>) -> tensor<1x5x6x12xf32>
  return %p : tensor<1x5x6x12xf32>
}
func.func @few_channels(%x: tensor<1x7x8x3xi8>, %w: tensor<3x3x3x16xi8>) -> tensor<1x5x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ed = tensor.empty() : tensor<1x7x8x3xf32>
  %d = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x7x8x3xi8>) outs(%ed : tensor<1x7x8x3xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<1x7x8x3xf32>
  %edw = tensor.empty() : tensor<3x3x3x16xf32>
  %dw = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<3x3x3x16xi8>) outs(%edw : tensor<3x3x3x16xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<3x3x3x16xf32>
  %ep = tensor.empty() : tensor<1x5x6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32>
  %p = linalg.conv_2d_nhwc_hwcf ins(%d, %dw : tensor<1x7x8x3xf32>, tensor<3x3x3x16xf32>) outs(%f : tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32>
  return %p : tensor<1x5x6x16xf32>
}

// The sums may be 2^31.
// NAMES: 4x24x131072 f32
func.func @deep(%x: tensor<4x131072xi8>, %w: tensor<131072x24xi8>) -> tensor<4x24xf32> {
  %zero = arith.constant 0.0 : f32
  %ed = tensor.empty() : tensor<4x131072xf32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x131072xi8>) outs(%ed : tensor<4x131072xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<4x131072xf32>
  %edw = tensor.empty() : tensor<131072x24xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<131072x24xi8>) outs(%edw : tensor<131072x24xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<131072x24xf32>
  %ep = tensor.empty() : tensor<4x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<4x24xf32>) -> tensor<4x24xf32>
  %p = linalg.matmul ins(%d, %dw : tensor<4x131072xf32>, tensor<131072x24xf32>) outs(%f : tensor<4x24xf32>) -> tensor<4x24xf32>
  return %p : tensor<4x24xf32>
}

// NAMES: ?x24x32 f32
func.func @unknown(%x: tensor<?x32xi8>, %w: tensor<32x24xi8>) -> tensor<?x24xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x32xi8>
  %ed = tensor.empty(%rows) : tensor<?x32xf32>
  %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x32xi8>) outs(%ed : tensor<?x32xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<?x32xf32>
  %edw = tensor.empty() : tensor<32x24xf32>
  %dw = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<32x24xi8>) outs(%edw : tensor<32x24xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<32x24xf32>
  %ep = tensor.empty(%rows) : tensor<?x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ep : tensor<?x24xf32>) -> tensor<?x24xf32>
  %p = linalg.matmul ins(%d, %dw : tensor<?x32xf32>, tensor<32x24xf32>) outs(%f : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %p : tensor<?x24xf32>
}
