// Few rows times weights that lie along the depth, and are no constants, are products of lines with lines: they are not
// turned. In blocks of four rows and columns a vector of each is read once for all products with it; what five rows and
// seven columns leave is a smaller block. Threads share the columns. With many rows, a short depth, or weights that are
// turned ahead, it is the contraction.
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v4 -o /dev/null 2>&1 | FileCheck %s --check-prefixes=RULE
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefixes=RULE
// RUN: tune-opt %s --tune-lower="target=null" | FileCheck %s
// RUN: tune-run %s --function=few --db= --time=0.001 --strict | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --function=few --db= --time=0.001 --strict --threads=2 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --function=odd --db= --time=0.001 --strict | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --function=odd --db= --time=0.001 --strict --threads=2 --target=cpu:x86-64-v2 | FileCheck %s --check-prefix=CORRECT
// RUN: tune-run %s --function=odd --db= --time=0.001 --strict --config=nest_rows=2,nest_vectors=8 | FileCheck %s --check-prefix=CORRECT
// RUN: tune-opt %s --tune-lower="target=null" | FileCheck %s --check-prefix=AHEAD
// RUN: tune-opt %s --tune-lower="target=null" | FileCheck %s --check-prefix=MAX
// RUN: tune-run %s --function=largest --db= --time=0.001 --strict | FileCheck %s --check-prefix=CORRECT
// CORRECT: Check {{ *}}ok

// RULE: matmul 4x96x512 f32
// RULE: rule 'general'
// CHECK-LABEL: llvm.func @tune_task_0
// CHECK-COUNT-16: llvm.fadd {{.*}} : vector<16xf32>
// Lanes of the four columns of a row are added up together.
// CHECK-COUNT-3: llvm.fadd {{.*}} : vector<4xf32>
// CHECK-NOT: llvm.intr.vector.reduce.fadd
// CHECK-LABEL: llvm.func @tune_task_1
func.func @few(%a: tensor<4x512xf32>, %w: tensor<96x512xf32>) -> tensor<4x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x96xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x96xf32>) -> tensor<4x96xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<4x512xf32>, tensor<96x512xf32>) outs(%i : tensor<4x96xf32>) -> tensor<4x96xf32>
  return %r : tensor<4x96xf32>
}

// RULE: matmul 7x17x301 f32
// RULE: rule 'general'
func.func @odd(%a: tensor<7x301xf32>, %w: tensor<17x301xf32>, %bias: tensor<17xf32>) -> tensor<7x17xf32> {
  %e = tensor.empty() : tensor<7x17xf32>
  %i = linalg.broadcast ins(%bias : tensor<17xf32>) outs(%e : tensor<7x17xf32>) dimensions = [0]
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<7x301xf32>, tensor<17x301xf32>) outs(%i : tensor<7x17xf32>) -> tensor<7x17xf32>
  return %r : tensor<7x17xf32>
}

// Weights out of memory are asked for ahead.
// RULE: matmul 2x8192x4096 f32
// RULE: rule 'general'
// AHEAD-LABEL: llvm.func @tune_task_2
// AHEAD: llvm.intr.prefetch
func.func @cold(%a: tensor<2x4096xf32>, %w: tensor<8192x4096xf32>) -> tensor<2x8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8192xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x8192xf32>) -> tensor<2x8192xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<2x4096xf32>, tensor<8192x4096xf32>) outs(%i : tensor<2x8192xf32>) -> tensor<2x8192xf32>
  return %r : tensor<2x8192xf32>
}

// RULE: matmul 128x96x512 f32
// RULE: rule 'contraction'
func.func @many(%a: tensor<128x512xf32>, %w: tensor<96x512xf32>) -> tensor<128x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x96xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<128x96xf32>) -> tensor<128x96xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<128x512xf32>, tensor<96x512xf32>) outs(%i : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %r : tensor<128x96xf32>
}

// RULE: matmul 8x96x24 f32
// RULE: rule 'contraction'
func.func @short(%a: tensor<8x24xf32>, %w: tensor<96x24xf32>) -> tensor<8x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<8x24xf32>, tensor<96x24xf32>) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}

// RULE: matmul 5x96x512 f32
// RULE: rule 'contraction'
func.func @constant(%a: tensor<5x512xf32>, %w: tensor<96x512xf32> {tune.constant}) -> tensor<5x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x96xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<5x96xf32>) -> tensor<5x96xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<5x512xf32>, tensor<96x512xf32>) outs(%i : tensor<5x96xf32>) -> tensor<5x96xf32>
  return %r : tensor<5x96xf32>
}

// Largest sums of two lines, in place of sums of products: that tree is theirs, too.
// MAX-LABEL: llvm.func @tune_task_6
// MAX-COUNT-3: llvm.intr.maximum({{.*}} (vector<4xf32>, vector<4xf32>)
func.func @largest(%a: tensor<3x40xf32>, %w: tensor<11x40xf32>) -> tensor<3x11xf32> {
  %z = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x11xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x11xf32>) -> tensor<3x11xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : tensor<3x40xf32>, tensor<11x40xf32>) outs(%i : tensor<3x11xf32>) attrs = {tune.choices = {rule = "general"}} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %o, %s : f32
    linalg.yield %m : f32
  } -> tensor<3x11xf32>
  return %r : tensor<3x11xf32>
}

// What follows is apart: row by row all weights would be read for each.
// RULE: matmul 4x96x512 f32 +bias
// RULE: rule 'general'
// RULE: chain linalg apart apart, by_rows
func.func @followed(%a: tensor<4x512xf32>, %w: tensor<96x512xf32>, %bias: tensor<96xf32>) -> tensor<4x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x96xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x96xf32>) -> tensor<4x96xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %w : tensor<4x512xf32>, tensor<96x512xf32>) outs(%i : tensor<4x96xf32>) -> tensor<4x96xf32>
  %b = linalg.broadcast ins(%bias : tensor<96xf32>) outs(%e : tensor<4x96xf32>) dimensions = [0]
  %s = linalg.add ins(%r, %b : tensor<4x96xf32>, tensor<4x96xf32>) outs(%e : tensor<4x96xf32>) -> tensor<4x96xf32>
  return %s : tensor<4x96xf32>
}
