// A plane of channels at a time: its borders, the window over it, what follows. Lines that are no whole
// vectors are written in pieces on 16 registers, and read with masks.
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE-LABEL: conv 12x14x14 over 3x3 f32
// SPACE: rule 'general'
// SPACE: layout graph raw
// SPACE: chain linalg by_rows {{.*}}apart, by_rows
// SPACE: rows_at_once linalg 2
// Pooling alone hands nothing on.
// SPACE-LABEL: max_pool
// SPACE-NOT: chain
// RUN: tune-run %s --function=planes --db= --strict --time=0.01 | FileCheck %s
// RUN: tune-run %s --function=planes --db= --strict --time=0.01 --target=cpu:x86-64-v3 | FileCheck %s
// RUN: tune-run %s --function=planes --db= --strict --time=0.01 --target=cpu:x86-64-v3 --config=chain=apart | FileCheck %s
// RUN: tune-run %s --function=planes --db= --strict --time=0.01 --target=cpu:x86-64-v3 --config=rows_at_once=4,nest_vectors=1,nest_rows=2 | FileCheck %s
// RUN: tune-run %s --function=pool --db= --strict --time=0.01 --target=cpu:x86-64-v3 --threads=2 | FileCheck %s
// RUN: tune-run %s --function=bytes --db= --strict --time=0.01 --target=cpu:x86-64-v3 | FileCheck %s
// RUN: tune-opt %s --tune-lower="target=cpu:x86-64-v3" | FileCheck %s --check-prefix=PIECES
// PIECES-LABEL: llvm.func @tune_task_0
// PIECES: llvm.store {{.*}} vector<4xf32>
// PIECES: llvm.store {{.*}} vector<2xf32>
// PIECES-NOT: llvm.intr.masked.store
// PIECES: llvm.return
// CHECK: Check {{ *}}ok
func.func @planes(%x: tensor<12x14x14xf32>, %w: tensor<12x3x3xf32>, %b: tensor<12xf32>) -> tensor<12x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<12x14x14xf32> to tensor<12x16x16xf32>
  %e = tensor.empty() : tensor<12x14x14xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x14x14xf32>) -> tensor<12x14x14xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(c, h, w, p, q) -> (c, h + p, w + q)>, affine_map<(c, h, w, p, q) -> (c, p, q)>,
                                        affine_map<(c, h, w, p, q) -> (c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<12x16x16xf32>, tensor<12x3x3xf32>) outs(%f : tensor<12x14x14xf32>) {
  ^bb0(%in: f32, %weight: f32, %sum: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<12x14x14xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c)>,
                                        affine_map<(c, h, w) -> (c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%c, %b : tensor<12x14x14xf32>, tensor<12xf32>) outs(%e : tensor<12x14x14xf32>) {
  ^bb0(%in: f32, %offset: f32, %out: f32):
    %s = arith.addf %in, %offset : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<12x14x14xf32>
  return %r : tensor<12x14x14xf32>
}

func.func @pool(%x: tensor<5x23x23xf32>) -> tensor<5x21x21xf32> {
  %least = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<5x21x21xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<5x21x21xf32>) -> tensor<5x21x21xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, h, w, p, q) -> (c, h + p, w + q)>, affine_map<(c, h, w, p, q) -> (p, q)>,
                                        affine_map<(c, h, w, p, q) -> (c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %window : tensor<5x23x23xf32>, tensor<3x3xf32>) outs(%f : tensor<5x21x21xf32>) {
  ^bb0(%in: f32, %unused: f32, %most: f32):
    %m = arith.maximumf %most, %in : f32
    linalg.yield %m : f32
  } -> tensor<5x21x21xf32>
  return %r : tensor<5x21x21xf32>
}

// There is no store with a mask for these at all.
func.func @bytes(%x: tensor<7x23xi8>, %y: tensor<7x23xi8>) -> tensor<7x23xi8> {
  %e = tensor.empty() : tensor<7x23xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<7x23xi8>, tensor<7x23xi8>) outs(%e : tensor<7x23xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %s = arith.addi %a, %b : i8
    linalg.yield %s : i8
  } -> tensor<7x23xi8>
  return %r : tensor<7x23xi8>
}
