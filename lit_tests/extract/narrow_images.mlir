// Networks of bf16 and f16, as torch-mlir writes them: sums in f32, rounded before the next op. They
// have channels innermost as those of f32 do, and what compares narrow numbers does so in vectors.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: sed 's/bf16/f16/g' %s > %t.f16.mlir
// RUN: tune-opt %t.f16.mlir --tune-extract=none | FileCheck %s --check-prefix=HALF
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=strided --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=main --strict --check --db= --time=0.001 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=strided --strict --check --db= --time=0.001 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %t.f16.mlir --function=main --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %t.f16.mlir --function=strided --strict --check --db= --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok
// RUN: tune-run %s --function=main --target=cpu:x86-64-v3 --db= --emit=asm -o %t.s 2>/dev/null
// RUN: FileCheck %s --check-prefix=VECTORS --input-file=%t.s
// VECTORS: tune_task_
// VECTORS-NOT: {{v?ucomiss}}

// What Winograd's transforms are for is computed in f32: what makes the image does not round it.
// CHECK-LABEL: func.func @strided(
// CHECK: call @tune_task_{{.*}} : (tensor<784x16xbf16>, {{.*}} -> tensor<784x96xbf16>
// CHECK: call @tune_task_{{.*}} : (tensor<28x28x96xbf16>, tensor<3x3x96x96xbf16>, {{.*}} -> tensor<96x14x14xbf16>
// CHECK-LABEL: func.func @main(
// CHECK: call @tune_task_{{.*}} : (tensor<96x96x3x3xbf16>, {{.*}} -> tensor<96x96x3x3xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<96x28x28xf32>, tensor<96x96x3x3xf32>, {{.*}} -> tensor<96x28x28xbf16>
// HALF-LABEL: func.func @strided(
// HALF: call @tune_task_{{.*}} : (tensor<784x16xf16>, {{.*}} -> tensor<784x96xf16>
// HALF: call @tune_task_{{.*}} : (tensor<28x28x96xf16>, tensor<3x3x96x96xf16>, {{.*}} -> tensor<96x14x14xf16>
// HALF-LABEL: func.func @main(
// HALF: call @tune_task_{{.*}} : (tensor<96x96x3x3xf16>, {{.*}} -> tensor<96x96x3x3xf32>
// HALF: call @tune_task_{{.*}} : (tensor<96x28x28xf32>, tensor<96x96x3x3xf32>, {{.*}} -> tensor<96x28x28xf16>

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @strided(%x: tensor<1x16x28x28xbf16>, %a: tensor<96x16x1x1xbf16> {tune.constant}, %c: tensor<96x96x3x3xbf16> {tune.constant}) -> tensor<1x96x14x14xbf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %six = arith.constant 6.0 : bf16
  %e = tensor.empty() : tensor<1x96x28x28xf32>
  %n = tensor.empty() : tensor<1x96x28x28xbf16>
  %d = tensor.empty() : tensor<1x96x14x14xf32>
  %m = tensor.empty() : tensor<1x96x14x14xbf16>
  %g = linalg.fill ins(%zero : f32) outs(%d : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x28x28xbf16>, tensor<96x16x1x1xbf16>) outs(%f : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x96x28x28xf32>) outs(%n : tensor<1x96x28x28xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x96x28x28xbf16>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<1x96x28x28xbf16>) outs(%n : tensor<1x96x28x28xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %p = arith.cmpf ogt, %in, %none : bf16
    %s = arith.select %p, %in, %none : bf16
    %q = arith.cmpf olt, %s, %six : bf16
    %t = arith.select %q, %s, %six : bf16
    linalg.yield %t : bf16
  } -> tensor<1x96x28x28xbf16>
  %3 = tensor.pad %2 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : bf16
  } : tensor<1x96x28x28xbf16> to tensor<1x96x30x30xbf16>
  %4 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%3, %c : tensor<1x96x30x30xbf16>, tensor<96x96x3x3xbf16>) outs(%g : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%4 : tensor<1x96x14x14xf32>) outs(%m : tensor<1x96x14x14xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x96x14x14xbf16>
  return %5 : tensor<1x96x14x14xbf16>
}

func.func @main(%x: tensor<1x16x28x28xbf16>, %a: tensor<96x16x1x1xbf16> {tune.constant}, %c: tensor<96x96x3x3xbf16> {tune.constant}) -> tensor<1x96x28x28xbf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %six = arith.constant 6.0 : bf16
  %e = tensor.empty() : tensor<1x96x28x28xf32>
  %n = tensor.empty() : tensor<1x96x28x28xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x28x28xbf16>, tensor<96x16x1x1xbf16>) outs(%f : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x96x28x28xf32>) outs(%n : tensor<1x96x28x28xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x96x28x28xbf16>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<1x96x28x28xbf16>) outs(%n : tensor<1x96x28x28xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %p = arith.cmpf ogt, %in, %none : bf16
    %s = arith.select %p, %in, %none : bf16
    %q = arith.cmpf olt, %s, %six : bf16
    %t = arith.select %q, %s, %six : bf16
    linalg.yield %t : bf16
  } -> tensor<1x96x28x28xbf16>
  %3 = tensor.pad %2 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : bf16
  } : tensor<1x96x28x28xbf16> to tensor<1x96x30x30xbf16>
  %4 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%3, %c : tensor<1x96x30x30xbf16>, tensor<96x96x3x3xbf16>) outs(%f : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%4 : tensor<1x96x28x28xf32>) outs(%n : tensor<1x96x28x28xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x96x28x28xbf16>
  return %5 : tensor<1x96x28x28xbf16>
}
