// Sums of prefixes in steps, as TOSA writes them, become one window for CPUs: along any dimension, from its start
// or its end on, with the pad before the slice or after it, of products and extrema, where the window is no whole
// prefix, and after a step that others read. Where a shift is by something else than what was added up so far,
// where what is shifted in counts, and of f16, they stay; so do they for devices.
// RUN: tune-opt %s --tune-extract=all -o - 2>&1 | FileCheck %s
// CHECK: remark: task 0: sum_pool 6x40 over 40 f32
// CHECK-LABEL: func.func @rows
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @from_end
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @extremum
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @read_between
// CHECK-COUNT-1: extract_slice
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @far
// CHECK-COUNT-2: extract_slice
// CHECK-LABEL: func.func @counts
// CHECK-COUNT-2: extract_slice
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-2: extract_slice
// CHECK-DAG: tensor<6x40xf32> to tensor<6x79xf32>
// CHECK-DAG: tensor<5x7x3xi32> to tensor<5x13x3xi32>
// CHECK-DAG: tensor<20x16xf32> to tensor<26x16xf32>
// RUN: sh -c 'for f in rows from_end extremum read_between far counts rounded; do tune-run %s --function=$f --strict --db= --time=0.001 || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=OK < %t.out
// OK-COUNT-7: Check {{ *}}ok
// RUN: tune-opt %s --tune-print-space="target=vulkan:generic" 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE-NOT: sum_pool
// DEVICE: add 6x40 f32

func.func @rows(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x40xf32>
  %p0 = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<6x40xf32> to tensor<6x41xf32>
  %s0 = tensor.extract_slice %p0[0, 0] [6, 40] [1, 1] : tensor<6x41xf32> to tensor<6x40xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s0 : tensor<6x40xf32>, tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x40xf32>
  %p1 = tensor.pad %r0 low[0, 2] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<6x40xf32> to tensor<6x42xf32>
  %s1 = tensor.extract_slice %p1[0, 0] [6, 40] [1, 1] : tensor<6x42xf32> to tensor<6x40xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %s1 : tensor<6x40xf32>, tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x40xf32>
  %p2 = tensor.pad %r1 low[0, 4] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<6x40xf32> to tensor<6x44xf32>
  %s2 = tensor.extract_slice %p2[0, 0] [6, 40] [1, 1] : tensor<6x44xf32> to tensor<6x40xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r1, %s2 : tensor<6x40xf32>, tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x40xf32>
  %p3 = tensor.pad %r2 low[0, 8] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<6x40xf32> to tensor<6x48xf32>
  %s3 = tensor.extract_slice %p3[0, 0] [6, 40] [1, 1] : tensor<6x48xf32> to tensor<6x40xf32>
  %r3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r2, %s3 : tensor<6x40xf32>, tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x40xf32>
  %p4 = tensor.pad %r3 low[0, 16] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<6x40xf32> to tensor<6x56xf32>
  %s4 = tensor.extract_slice %p4[0, 0] [6, 40] [1, 1] : tensor<6x56xf32> to tensor<6x40xf32>
  %r4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r3, %s4 : tensor<6x40xf32>, tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x40xf32>
  %p5 = tensor.pad %r4 low[0, 32] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<6x40xf32> to tensor<6x72xf32>
  %s5 = tensor.extract_slice %p5[0, 0] [6, 40] [1, 1] : tensor<6x72xf32> to tensor<6x40xf32>
  %r5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r4, %s5 : tensor<6x40xf32>, tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<6x40xf32>
  return %r5 : tensor<6x40xf32>
}
func.func @from_end(%x: tensor<5x7x3xi32>) -> tensor<5x7x3xi32> {
  %z = arith.constant 1 : i32
  %e = tensor.empty() : tensor<5x7x3xi32>
  %s0 = tensor.extract_slice %x[0, 1, 0] [5, 6, 3] [1, 1, 1] : tensor<5x7x3xi32> to tensor<5x6x3xi32>
  %p0 = tensor.pad %s0 low[0, 0, 0] high[0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : i32
  } : tensor<5x6x3xi32> to tensor<5x7x3xi32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %p0 : tensor<5x7x3xi32>, tensor<5x7x3xi32>) outs(%e : tensor<5x7x3xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c = arith.muli %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<5x7x3xi32>
  %s1 = tensor.extract_slice %r0[0, 2, 0] [5, 5, 3] [1, 1, 1] : tensor<5x7x3xi32> to tensor<5x5x3xi32>
  %p1 = tensor.pad %s1 low[0, 0, 0] high[0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : i32
  } : tensor<5x5x3xi32> to tensor<5x7x3xi32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r0, %p1 : tensor<5x7x3xi32>, tensor<5x7x3xi32>) outs(%e : tensor<5x7x3xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c = arith.muli %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<5x7x3xi32>
  %s2 = tensor.extract_slice %r1[0, 4, 0] [5, 3, 3] [1, 1, 1] : tensor<5x7x3xi32> to tensor<5x3x3xi32>
  %p2 = tensor.pad %s2 low[0, 0, 0] high[0, 4, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : i32
  } : tensor<5x3x3xi32> to tensor<5x7x3xi32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r1, %p2 : tensor<5x7x3xi32>, tensor<5x7x3xi32>) outs(%e : tensor<5x7x3xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c = arith.muli %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<5x7x3xi32>
  return %r2 : tensor<5x7x3xi32>
}
func.func @extremum(%x: tensor<20x16xf32>) -> tensor<20x16xf32> {
  %z = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<20x16xf32>
  %p0 = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<20x16xf32> to tensor<21x16xf32>
  %s0 = tensor.extract_slice %p0[0, 0] [20, 16] [1, 1] : tensor<21x16xf32> to tensor<20x16xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s0 : tensor<20x16xf32>, tensor<20x16xf32>) outs(%e : tensor<20x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<20x16xf32>
  %p1 = tensor.pad %r0 low[2, 0] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<20x16xf32> to tensor<22x16xf32>
  %s1 = tensor.extract_slice %p1[0, 0] [20, 16] [1, 1] : tensor<22x16xf32> to tensor<20x16xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %s1 : tensor<20x16xf32>, tensor<20x16xf32>) outs(%e : tensor<20x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<20x16xf32>
  %p2 = tensor.pad %r1 low[3, 0] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<20x16xf32> to tensor<23x16xf32>
  %s2 = tensor.extract_slice %p2[0, 0] [20, 16] [1, 1] : tensor<23x16xf32> to tensor<20x16xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r1, %s2 : tensor<20x16xf32>, tensor<20x16xf32>) outs(%e : tensor<20x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<20x16xf32>
  return %r2 : tensor<20x16xf32>
}
func.func @read_between(%x: tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %p0 = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x33xf32>
  %s0 = tensor.extract_slice %p0[0, 0] [4, 32] [1, 1] : tensor<4x33xf32> to tensor<4x32xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s0 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  %p1 = tensor.pad %r0 low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x33xf32>
  %s1 = tensor.extract_slice %p1[0, 0] [4, 32] [1, 1] : tensor<4x33xf32> to tensor<4x32xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %s1 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  %p2 = tensor.pad %r1 low[0, 2] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x34xf32>
  %s2 = tensor.extract_slice %p2[0, 0] [4, 32] [1, 1] : tensor<4x34xf32> to tensor<4x32xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r1, %s2 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  return %r2, %r0 : tensor<4x32xf32>, tensor<4x32xf32>
}
func.func @far(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %p0 = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x33xf32>
  %s0 = tensor.extract_slice %p0[0, 0] [4, 32] [1, 1] : tensor<4x33xf32> to tensor<4x32xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s0 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  %p1 = tensor.pad %r0 low[0, 3] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x35xf32>
  %s1 = tensor.extract_slice %p1[0, 0] [4, 32] [1, 1] : tensor<4x35xf32> to tensor<4x32xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %s1 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  return %r1 : tensor<4x32xf32>
}
func.func @counts(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %z = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %p0 = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x33xf32>
  %s0 = tensor.extract_slice %p0[0, 0] [4, 32] [1, 1] : tensor<4x33xf32> to tensor<4x32xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s0 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  %p1 = tensor.pad %r0 low[0, 2] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f32
  } : tensor<4x32xf32> to tensor<4x34xf32>
  %s1 = tensor.extract_slice %p1[0, 0] [4, 32] [1, 1] : tensor<4x34xf32> to tensor<4x32xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %s1 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x32xf32>
  return %r1 : tensor<4x32xf32>
}
func.func @rounded(%x: tensor<4x32xf16>) -> tensor<4x32xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x32xf16>
  %p0 = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f16
  } : tensor<4x32xf16> to tensor<4x33xf16>
  %s0 = tensor.extract_slice %p0[0, 0] [4, 32] [1, 1] : tensor<4x33xf16> to tensor<4x32xf16>
  %r0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s0 : tensor<4x32xf16>, tensor<4x32xf16>) outs(%e : tensor<4x32xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %c = arith.addf %a, %b : f16
    linalg.yield %c : f16
  } -> tensor<4x32xf16>
  %p1 = tensor.pad %r0 low[0, 2] high[0, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %z : f16
  } : tensor<4x32xf16> to tensor<4x34xf16>
  %s1 = tensor.extract_slice %p1[0, 0] [4, 32] [1, 1] : tensor<4x34xf16> to tensor<4x32xf16>
  %r1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %s1 : tensor<4x32xf16>, tensor<4x32xf16>) outs(%e : tensor<4x32xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %c = arith.addf %a, %b : f16
    linalg.yield %c : f16
  } -> tensor<4x32xf16>
  return %r1 : tensor<4x32xf16>
}
