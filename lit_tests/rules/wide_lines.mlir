// Sums across lines that are read once go over a few lines at once, as wide as these are and whatever they are divisible by,
// where there are many; nests of 'general' do that, with what follows or without.
// RUN: tune-opt %s --tune-print-space="target=cpu:x86-64-v4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE-COUNT-3: rule 'general'
// SPACE-NOT: rule 'reduction'
// Eight lines at a time, of which each result takes eight products before it is stored: four vectors of those.
// RUN: tune-run %s --function=wide --db= --target=cpu:x86-64-v4 --emit=llvm -o %t.wide.ll
// RUN: FileCheck %s --check-prefix=LINES --input-file=%t.wide.ll
// LINES-COUNT-32: fmul {{.*}}<16 x float>
// Of few lines results stay in registers.
// RUN: tune-run %s --function=few --db= --target=cpu:x86-64-v4 --emit=llvm -o %t.few.ll
// RUN: not FileCheck %s --check-prefix=LINES --input-file=%t.few.ll
// RUN: tune-run %s --function=odd --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=RUNS
// RUN: tune-run %s --function=odd --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=RUNS
// RUN: tune-run %s --function=wide --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=RUNS
// RUN: tune-run %s --function=few --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=RUNS
// RUNS: Check {{ *}}ok
func.func @odd(%x: tensor<100xf32>, %w: tensor<100x4112xf32>) -> tensor<4112xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4112xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4112xf32>) -> tensor<4112xf32>
  %r = linalg.vecmat ins(%x, %w : tensor<100xf32>, tensor<100x4112xf32>) outs(%f : tensor<4112xf32>) -> tensor<4112xf32>
  return %r : tensor<4112xf32>
}
func.func @wide(%x: tensor<100xf32>, %w: tensor<100x8192xf32>, %b: tensor<8192xf32>) -> tensor<8192xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %r = linalg.vecmat ins(%x, %w : tensor<100xf32>, tensor<100x8192xf32>) outs(%f : tensor<8192xf32>) -> tensor<8192xf32>
  %s = linalg.add ins(%r, %b : tensor<8192xf32>, tensor<8192xf32>) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  return %s : tensor<8192xf32>
}
func.func @few(%x: tensor<20xf32>, %w: tensor<20x8192xf32>) -> tensor<8192xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %r = linalg.vecmat ins(%x, %w : tensor<20xf32>, tensor<20x8192xf32>) outs(%f : tensor<8192xf32>) -> tensor<8192xf32>
  return %r : tensor<8192xf32>
}
