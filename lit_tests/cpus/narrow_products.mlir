// Products of narrow elements on a CPU without instructions for them: each element is widened once, where it is
// copied, and not at each of its reads; bytes as pairs of 16 bits, whatever their signs.
// RUN: split-file %s %t
// RUN: sh -c 'for f in bf16 f16 as_bf16 as_f16 image s8u8 u8u8; do tune-run %t/$f.mlir --target=cpu:x86-64-v3 --db= --time=0.002 --strict || exit 1; done' > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=RIGHT < %t.out
// RIGHT-COUNT-7: Check {{ *}}ok
// RUN: tune-opt %t/bf16.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=FLOAT
// RUN: tune-opt %t/f16.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=FLOAT
// RUN: tune-opt %t/as_bf16.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=FLOAT
// RUN: tune-opt %t/as_f16.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=FLOAT
// RUN: tune-opt %t/image.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=FLOAT
// FLOAT-LABEL: llvm.func {{.*}}@tune_task_0
// FLOAT: llvm.{{fpext|zext}}
// FLOAT: llvm.intr.fmuladd
// FLOAT-NOT: llvm.{{fpext|zext}}
// FLOAT-LABEL: llvm.func
// RUN: tune-opt %t/s8u8.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=BYTES
// BYTES-LABEL: llvm.func {{.*}}@tune_task_0
// BYTES-DAG: llvm.sext
// BYTES-DAG: llvm.zext
// BYTES: vpmaddwd
// BYTES-NOT: llvm.sext
// BYTES-NOT: llvm.zext
// BYTES-LABEL: llvm.func
// At each read where the knob says so.
// RUN: sed 's/iterator_types/tune.choices = {wide_operands = 0}, iterator_types/' %t/bf16.mlir > %t/each.mlir
// RUN: tune-opt %t/each.mlir --tune-lower=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=EACH
// EACH: llvm.intr.fmuladd
// EACH: llvm.{{fpext|zext}}

//--- bf16.mlir
func.func @product(%a: tensor<50x64xbf16>, %b: tensor<64x96xbf16>, %c: tensor<50x96xf32>) -> tensor<50x96xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<50x64xbf16>, tensor<64x96xbf16>) outs(%c : tensor<50x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %wide_x = arith.extf %x : bf16 to f32
    %wide_y = arith.extf %y : bf16 to f32
    %p = arith.mulf %wide_x, %wide_y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<50x96xf32>
  return %r : tensor<50x96xf32>
}

//--- f16.mlir
func.func @product(%a: tensor<50x64xf16>, %b: tensor<64x96xf16>, %c: tensor<50x96xf32>) -> tensor<50x96xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<50x64xf16>, tensor<64x96xf16>) outs(%c : tensor<50x96xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %wide_x = arith.extf %x : f16 to f32
    %wide_y = arith.extf %y : f16 to f32
    %p = arith.mulf %wide_x, %wide_y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<50x96xf32>
  return %r : tensor<50x96xf32>
}

//--- s8u8.mlir
func.func @product(%a: tensor<50x64xi8>, %b: tensor<64x96xi8>, %c: tensor<50x96xi32>) -> tensor<50x96xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<50x64xi8>, tensor<64x96xi8>) outs(%c : tensor<50x96xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %wide_x = arith.extsi %x : i8 to i32
    %wide_y = arith.extui %y : i8 to i32
    %p = arith.muli %wide_x, %wide_y : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<50x96xi32>
  return %r : tensor<50x96xi32>
}

//--- u8u8.mlir
func.func @product(%a: tensor<33x37xi8>, %b: tensor<37x50xi8>, %c: tensor<33x50xi32>) -> tensor<33x50xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<33x37xi8>, tensor<37x50xi8>) outs(%c : tensor<33x50xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %wide_x = arith.extui %x : i8 to i32
    %wide_y = arith.extui %y : i8 to i32
    %p = arith.muli %wide_x, %wide_y : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<33x50xi32>
  return %r : tensor<33x50xi32>
}

//--- as_bf16.mlir
// Products that say nothing of f32, as StableHLO has them, are computed in it all the same.
func.func @product(%a: tensor<50x64xbf16>, %b: tensor<64x96xbf16>) -> tensor<50x96xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<50x96xbf16>
  %c = linalg.fill ins(%zero : bf16) outs(%e : tensor<50x96xbf16>) -> tensor<50x96xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<50x64xbf16>, tensor<64x96xbf16>) outs(%c : tensor<50x96xbf16>) -> tensor<50x96xbf16>
  return %r : tensor<50x96xbf16>
}

//--- as_f16.mlir
// Products that say nothing of f32, as StableHLO has them, are computed in it all the same.
func.func @product(%a: tensor<50x64xf16>, %b: tensor<64x96xf16>) -> tensor<50x96xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<50x96xf16>
  %c = linalg.fill ins(%zero : f16) outs(%e : tensor<50x96xf16>) -> tensor<50x96xf16>
  %r = linalg.matmul ins(%a, %b : tensor<50x64xf16>, tensor<64x96xf16>) outs(%c : tensor<50x96xf16>) -> tensor<50x96xf16>
  return %r : tensor<50x96xf16>
}

//--- image.mlir
func.func @image(%x: tensor<1x14x14x16xbf16>, %f: tensor<3x3x16x32xbf16>, %c: tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<1x14x14x16xbf16> to tensor<1x16x16x16xbf16>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %f : tensor<1x16x16x16xbf16>, tensor<3x3x16x32xbf16>) outs(%c : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  return %r : tensor<1x14x14x32xf32>
}
