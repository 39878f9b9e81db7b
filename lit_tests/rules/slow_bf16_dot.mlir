// Where the dot product of bf16 does less than multiply-adds of f32 do, as on Intel's cores, factors are
// widened, and what allows bf16 stays f32 by default.
// RUN: tune-run %s --function=main --target=cpu:znver4 --db= --emit=llvm -o %t.ll 2>/dev/null
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=FAST
// FAST-LABEL: define {{.*}}@tune_task_0(
// FAST: {{call .*}} @llvm.x86.avx512bf16.dpbf16ps
// FAST-LABEL: define {{.*}}@tune_task_1(
// FAST: {{call .*}} @llvm.x86.avx512bf16.dpbf16ps

// RUN: tune-run %s --function=main --target=cpu:sapphirerapids --db= --emit=llvm -o %t.ll 2>/dev/null
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=SLOW
// SLOW-NOT: dpbf16ps
// SLOW-LABEL: define {{.*}}@tune_task_0(
// SLOW-NOT: dpbf16ps
// SLOW: {{call .*}} @llvm.fmuladd.v{{[0-9]+}}f32(
// SLOW-NOT: dpbf16ps
// SLOW-LABEL: define {{.*}}@tune_task_1(
// SLOW-NOT: bfloat
// SLOW: {{call .*}} @llvm.fmuladd.v{{[0-9]+}}f32(
// SLOW-NOT: bfloat

func.func @main(%a: tensor<64x96xbf16>, %b: tensor<96x128xbf16>, %x: tensor<64x96xf32>,
                %y: tensor<96x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x96xbf16>, tensor<96x128xbf16>)
                     outs(%init : tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = linalg.matmul {tune.allow = ["bf16"]} ins(%x, %y : tensor<64x96xf32>, tensor<96x128xf32>)
                     outs(%init : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32>
}
