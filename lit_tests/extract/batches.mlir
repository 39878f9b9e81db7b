// A batch of images whose layers leave more than caches hold goes through its first layers image by
// image, in a loop; what comes behind the windows, and layers of large weights, are of all images.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=asked --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=shared --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=ends --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=larger --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=gathers --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=joints --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

// What a search has chosen is on the ops as they came, and a task counts as often as the loop runs it.
// RUN: tune-opt %s --tune-search="target=null trials=2 db=:memory: function=asked" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// RUN: tune-opt %s --tune-annotate -o %t.open.mlir
// RUN: tune-opt %t.open.mlir --tune-lower -o /dev/null
// TOLD: matmul 64x64x64 f32{{.*}}(x8)
// CHOSEN: func.func @asked({{.*}}tune.images_at_once = 64 : i64
// CHOSEN: linalg.matmul {tune.choices = {{.*}}tensor<256x64xf32>, tensor<64x64xf32>

#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
// CHECK-LABEL: func.func @network(
// CHECK: scf.for {{.*}} -> (tensor<16x32xf32>)
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0, 0, 0] [1, 8, 64, 64]
// CHECK: call @tune_task_{{.*}} -> tensor<32x64x64xf32>
// CHECK: call @tune_task_{{.*}} -> tensor<32x64x64xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<32xf32> into tensor<16x32xf32>
// CHECK: scf.yield
// CHECK: call @tune_task_{{.*}}tensor<16x32xf32>{{.*}} -> tensor<16x4000xf32>
func.func @network(%x: tensor<16x8x64x64xf32>, %a: tensor<32x8x3x3xf32> {tune.constant},
    %b: tensor<32x32x3x3xf32> {tune.constant}, %w: tensor<32x4000xf32> {tune.constant}) -> tensor<16x4000xf32> {
  %zero = arith.constant 0.0 : f32
  %p0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<16x8x64x64xf32> to tensor<16x8x66x66xf32>
  %e = tensor.empty() : tensor<16x32x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  %c0 = linalg.conv_2d_nchw_fchw ins(%p0, %a : tensor<16x8x66x66xf32>, tensor<32x8x3x3xf32>) outs(%f : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c0 : tensor<16x32x64x64xf32>) outs(%e : tensor<16x32x64x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %v, %zero : f32
    linalg.yield %m : f32
  } -> tensor<16x32x64x64xf32>
  %p1 = tensor.pad %r0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<16x32x64x64xf32> to tensor<16x32x66x66xf32>
  %c1 = linalg.conv_2d_nchw_fchw ins(%p1, %b : tensor<16x32x66x66xf32>, tensor<32x32x3x3xf32>) outs(%f : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  %s = linalg.add ins(%c1, %r0 : tensor<16x32x64x64xf32>, tensor<16x32x64x64xf32>) outs(%e : tensor<16x32x64x64xf32>) -> tensor<16x32x64x64xf32>
  %e2 = tensor.empty() : tensor<16x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %sum = linalg.reduce {arith.addf} ins(%s : tensor<16x32x64x64xf32>) outs(%f2 : tensor<16x32xf32>) dimensions = [2, 3]
  %e3 = tensor.empty() : tensor<16x4000xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<16x4000xf32>) -> tensor<16x4000xf32>
  %y = linalg.matmul ins(%sum, %w : tensor<16x32xf32>, tensor<32x4000xf32>) outs(%f3 : tensor<16x4000xf32>) -> tensor<16x4000xf32>
  return %y : tensor<16x4000xf32>
}

// Weights are read once.
// CHECK-LABEL: func.func @heavy(
// CHECK-NOT: scf.for
// CHECK: return
func.func @heavy(%x: tensor<512x768xf32>, %a: tensor<768x3072xf32> {tune.constant}, %b: tensor<3072x768xf32> {tune.constant}) -> tensor<512x768xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<512x3072xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<512x3072xf32>) -> tensor<512x3072xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<512x768xf32>, tensor<768x3072xf32>) outs(%f0 : tensor<512x3072xf32>) -> tensor<512x3072xf32>
  %e1 = tensor.empty() : tensor<512x768xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512x768xf32>) -> tensor<512x768xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<512x3072xf32>, tensor<3072x768xf32>) outs(%f1 : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %1 : tensor<512x768xf32>
}

// Rows are a batch, too. What is read behind the loop is put together in it.
// CHECK-LABEL: func.func @asked(
// CHECK-NOT: tune.images_at_once
// CHECK: scf.for {{.*}} -> (tensor<256x64xf32>, tensor<256x64xf32>)
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [64, 64]
// CHECK: scf.yield
// CHECK: call @tune_task_{{.*}}tensor<256x64xf32>, tensor<256x64xf32>
func.func @asked(%x: tensor<256x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<256x64xf32>, tensor<256x64xf32>) attributes {tune.images_at_once = 64 : i64} {
  %one = arith.constant dense<1.0> : tensor<256x64xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<256x64xf32>, tensor<64x64xf32>) outs(%one : tensor<256x64xf32>) -> tensor<256x64xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<256x64xf32>, tensor<64x64xf32>) outs(%one : tensor<256x64xf32>) -> tensor<256x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%0, %1 : tensor<256x64xf32>, tensor<256x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.matmul ins(%1, %g : tensor<256x64xf32>, tensor<64x64xf32>) outs(%one : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %2, %0 : tensor<256x64xf32>, tensor<256x64xf32>
}

// All of them.
// CHECK-LABEL: func.func @all(
// CHECK-NOT: scf.for
// CHECK: return
func.func @all(%x: tensor<4096x256xf32>, %a: tensor<256x32xf32>, %b: tensor<32x256xf32>, %c: tensor<256x32xf32>) -> tensor<4096x32xf32> attributes {tune.images_at_once = 4096 : i64} {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4096x32xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<4096x256xf32>, tensor<256x32xf32>) outs(%f0 : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %e1 = tensor.empty() : tensor<4096x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4096x32xf32>, tensor<32x256xf32>) outs(%f1 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<4096x256xf32>, tensor<256x32xf32>) outs(%f0 : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  return %2 : tensor<4096x32xf32>
}

// Without being asked.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
func.func @rows(%x: tensor<4096x256xf32>, %a: tensor<256x32xf32>, %b: tensor<32x256xf32>, %c: tensor<256x32xf32>) -> tensor<4096x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4096x32xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<4096x256xf32>, tensor<256x32xf32>) outs(%f0 : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  %e1 = tensor.empty() : tensor<4096x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4096x32xf32>, tensor<32x256xf32>) outs(%f1 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<4096x256xf32>, tensor<256x32xf32>) outs(%f0 : tensor<4096x32xf32>) -> tensor<4096x32xf32>
  return %2 : tensor<4096x32xf32>
}

// What is the same for all images is read in the loop and behind it: there it has choices of its own.
// CHECK-LABEL: func.func @shared(
// CHECK: scf.for
func.func @shared(%x: tensor<64x64xf32>, %bias: tensor<64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) attributes {tune.images_at_once = 16 : i64} {
  %e = tensor.empty() : tensor<64x64xf32>
  %same = linalg.broadcast ins(%bias : tensor<64xf32>) outs(%e : tensor<64x64xf32>) dimensions = [0]
  %0 = linalg.matmul ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%same : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%same : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1, %same : tensor<64x64xf32>, tensor<64x64xf32>
}

// A part of lower rank ends a batch, and so does a border that reads an image.
// CHECK-LABEL: func.func @ends(
// CHECK: scf.for {{.*}} -> (tensor<8x8x8xf32>)
// CHECK: scf.yield
// CHECK: tensor<8x8x8xf32>
#c = affine_map<(n, r, c) -> (r, n, c)>
#w = affine_map<(n, i, j, k) -> (k, j)>
func.func @ends(%x: tensor<8x8x8xf32>, %a: tensor<8x8xf32>) -> (tensor<8x8x8xf32>, tensor<8x10x10xf32>) attributes {tune.images_at_once = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %five = arith.constant 5 : index
  %none = arith.constant 0 : index
  %e = tensor.empty() : tensor<8x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, #w, affine_map<(n, i, j, k) -> (n, i, j)>] ins(%x, %a : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, #w, affine_map<(n, i, j, k) -> (n, i, j)>] ins(%0, %a : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %t = linalg.transpose ins(%1 : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) permutation = [1, 0, 2]
  %z = arith.constant dense<7.0> : tensor<8x8xf32>
  %i = tensor.insert_slice %z into %t[0, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<8x8x8xf32>
  %p = tensor.pad %x low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%n: index, %y: index, %c: index):
    %v = tensor.extract %x[%five, %none, %none] : tensor<8x8x8xf32>
    tensor.yield %v : f32
  } : tensor<8x8x8xf32> to tensor<8x10x10xf32>
  return %i, %p : tensor<8x8x8xf32>, tensor<8x10x10xf32>
}

// A batch that is put into something larger is none behind that.
// CHECK-LABEL: func.func @larger(
// CHECK: scf.for {{.*}} -> (tensor<15x32xf32>)
// CHECK: call @tune_task_{{.*}}tensor<16x32xf32>
func.func @larger(%x: tensor<15x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> tensor<16x32xf32> attributes {tune.images_at_once = 5 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<15x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<15x32xf32>) -> tensor<15x32xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<15x32xf32>, tensor<32x32xf32>) outs(%f : tensor<15x32xf32>) -> tensor<15x32xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<15x32xf32>, tensor<32x32xf32>) outs(%f : tensor<15x32xf32>) -> tensor<15x32xf32>
  %e1 = tensor.empty() : tensor<16x32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %2 = tensor.insert_slice %1 into %f1[0, 0] [15, 32] [1, 1] : tensor<15x32xf32> into tensor<16x32xf32>
  %3 = linalg.matmul ins(%2, %c : tensor<16x32xf32>, tensor<32x32xf32>) outs(%f1 : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}

// Parts of images that gathers read, and images that are made larger by them.
#pixel = affine_map<(n, y, x) -> (n, y, x)>
// CHECK-LABEL: func.func @gathers(
// CHECK: scf.for
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @gathers(%x: tensor<6x16x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<6x32x32xf32> attributes {tune.images_at_once = 3 : i64} {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<6x16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x16x32xf32>) -> tensor<6x16x32xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>] ins(%x, %a : tensor<6x16x32xf32>, tensor<32x32xf32>) outs(%f : tensor<6x16x32xf32>) -> tensor<6x16x32xf32>
  %e1 = tensor.empty() : tensor<6x32x32xf32>
  %1 = linalg.generic {indexing_maps = [#pixel], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e1 : tensor<6x32x32xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %y = linalg.index 1 : index
    %c = linalg.index 2 : index
    %half = arith.divui %y, %two : index
    %v = tensor.extract %0[%n, %half, %c] : tensor<6x16x32xf32>
    %w = tensor.extract %x[%n, %half, %c] : tensor<6x16x32xf32>
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<6x32x32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %2 = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>] ins(%1, %b : tensor<6x32x32xf32>, tensor<32x32xf32>) outs(%f1 : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  return %2 : tensor<6x32x32xf32>
}

// Reshapes, parts, joints, borders, and what is the same for all images.
#image = affine_map<(n, r, c) -> (n, r, c)>
#column = affine_map<(n, r, c) -> (c)>
// CHECK-LABEL: func.func @joints(
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0, 0] [2, 16, 32]
// CHECK: scf.yield
func.func @joints(%x: tensor<6x16x32xf32>, %a: tensor<32x24xf32>, %bias: tensor<24xf32>, %b: tensor<48x32xf32>, %c: tensor<26x32xf32>) -> tensor<6x16x58xf32> attributes {tune.images_at_once = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<6x16x32xf32> into tensor<96x32xf32>
  %e0 = tensor.empty() : tensor<96x24xf32>
  %f0 = linalg.broadcast ins(%bias : tensor<24xf32>) outs(%e0 : tensor<96x24xf32>) dimensions = [0]
  %0 = linalg.matmul ins(%rows, %a : tensor<96x32xf32>, tensor<32x24xf32>) outs(%f0 : tensor<96x24xf32>) -> tensor<96x24xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [6, 16, 24] : tensor<96x24xf32> into tensor<6x16x24xf32>
  %two = tensor.concat dim(2) %1, %1 : (tensor<6x16x24xf32>, tensor<6x16x24xf32>) -> tensor<6x16x48xf32>
  %flat = tensor.collapse_shape %two [[0, 1], [2]] : tensor<6x16x48xf32> into tensor<96x48xf32>
  %e1 = tensor.empty() : tensor<96x32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %2 = linalg.matmul ins(%flat, %b : tensor<96x48xf32>, tensor<48x32xf32>) outs(%f1 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [6, 16, 32] : tensor<96x32xf32> into tensor<6x16x32xf32>
  %part = tensor.extract_slice %3[0, 2, 4] [6, 12, 26] [1, 1, 1] : tensor<6x16x32xf32> to tensor<6x12x26xf32>
  %padded = tensor.pad %part low[0, 3, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<6x12x26xf32> to tensor<6x16x26xf32>
  %flat2 = tensor.collapse_shape %padded [[0, 1], [2]] : tensor<6x16x26xf32> into tensor<96x26xf32>
  %4 = linalg.matmul ins(%flat2, %c : tensor<96x26xf32>, tensor<26x32xf32>) outs(%f1 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %5 = tensor.expand_shape %4 [[0, 1], [2]] output_shape [6, 16, 32] : tensor<96x32xf32> into tensor<6x16x32xf32>
  %sevens = arith.constant dense<7.0> : tensor<6x16x58xf32>
  %6 = tensor.insert_slice %5 into %sevens[0, 0, 0] [6, 16, 32] [1, 1, 1] : tensor<6x16x32xf32> into tensor<6x16x58xf32>
  %7 = tensor.insert_slice %padded into %6[0, 0, 32] [6, 16, 26] [1, 1, 1] : tensor<6x16x26xf32> into tensor<6x16x58xf32>
  return %7 : tensor<6x16x58xf32>
}

// What is made of no image is read by parts only where nothing reads it whole: not here, where it is
// the weights of an op before, an operand in another place, or read in the body.
// RUN: tune-run %s --function=whole_before --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=whole_beside --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=whole_within --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
#two = affine_map<(n, c) -> (n, c)>
func.func @whole_before(%x: tensor<32x32xf32>, %c: tensor<32x32xf32> {tune.constant}, %b: tensor<32x32xf32> {tune.constant}) -> tensor<32x32xf32> attributes {tune.images_at_once = 16 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %first = linalg.matmul ins(%x, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %w = linalg.add ins(%c, %c : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%first, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = linalg.add ins(%0, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = linalg.matmul ins(%1, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
#nk = affine_map<(n, c, k) -> (n, k)>
#kc = affine_map<(n, c, k) -> (k, c)>
#nc = affine_map<(n, c, k) -> (n, c)>
func.func @whole_beside(%x: tensor<32x32xf32>, %c: tensor<32x32xf32> {tune.constant}, %b: tensor<32x32xf32> {tune.constant}) -> tensor<32x32xf32> attributes {tune.images_at_once = 16 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %first = linalg.matmul ins(%x, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %second = linalg.matmul ins(%first, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %w = linalg.add ins(%c, %c : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.generic {indexing_maps = [#nk, #kc, #nc, #nc], iterator_types = ["parallel", "parallel", "reduction"]} ins(%second, %w, %w : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32, %o: f32):
    %m = arith.mulf %l, %r : f32
    %t = arith.mulf %m, %s : f32
    %u = arith.addf %t, %o : f32
    linalg.yield %u : f32
  } -> tensor<32x32xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
func.func @whole_within(%x: tensor<32x32xf32>, %c: tensor<32x32xf32> {tune.constant}, %b: tensor<32x32xf32> {tune.constant}) -> tensor<32x32xf32> attributes {tune.images_at_once = 16 : i64} {
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7 : index
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %first = linalg.matmul ins(%x, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %second = linalg.matmul ins(%first, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %w = linalg.add ins(%c, %c : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.generic {indexing_maps = [#two, #two, #two], iterator_types = ["parallel", "parallel"]} ins(%second, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%l: f32, %s: f32, %o: f32):
    %i = linalg.index 0 : index
    %rest = arith.remui %i, %seven : index
    %g = tensor.extract %w[%rest, %seven] : tensor<32x32xf32>
    %t = arith.addf %l, %s : f32
    %u = arith.mulf %t, %g : f32
    linalg.yield %u : f32
  } -> tensor<32x32xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

// What has choices stays in the form that these are for, whatever the threads.
// RUN: tune-opt %s --tune-search="target=cpu trials=1 finalists=0 whole=false threads=2 db=:memory: function=rows" -o %t.rows.mlir
// RUN: FileCheck %s --check-prefix=PINNED --input-file=%t.rows.mlir
// PINNED: func.func @rows({{.*}}attributes {tune.images_at_once = {{[0-9]+}} : i64, tune.images_layers = {{[0-9]+}} : i64}
// RUN: tune-run %t.rows.mlir --function=rows --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=BY-CHOICES
// RUN: tune-run %t.rows.mlir --function=rows --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=BY-CHOICES
// BY-CHOICES: (by choices)
// BY-CHOICES: Check {{ *}}ok
// RUN: tune-opt %s --tune-extract="remarks=none threads=2" | grep -A 4 "@rows(" | grep constant > %t.before
// RUN: tune-opt %t.rows.mlir --tune-extract="remarks=none threads=2" | grep -A 4 "@rows(" | grep constant | diff %t.before -
// The whole module is looked at in that form, too.
// RUN: tune-opt %s --tune-search="target=cpu trials=2 time=20 threads=2 db=:memory: function=rows" -o %t.whole.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE --implicit-check-not="has no task"
// WHOLE: tune-search: {{[0-9]+}} tasks
// RUN: tune-opt %s --tune-search="target=cpu trials=1 finalists=0 whole=false db=:memory: function=all" -o %t.all.mlir
// RUN: sed 's/ attributes {tune.images_at_once = 4096 : i64}//' %t.all.mlir > %t.bare.mlir
// RUN: not grep "images_at_once = 4096" %t.bare.mlir
// RUN: tune-opt %t.bare.mlir --tune-extract="remarks=none threads=2" | FileCheck %s --check-prefix=CHOSEN-WHOLE
// CHOSEN-WHOLE: func.func @all(
// CHOSEN-WHOLE-NOT: scf.for
// CHOSEN-WHOLE: func.func @rows(
