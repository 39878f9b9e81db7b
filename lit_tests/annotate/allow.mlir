// `allow=tf32` writes it onto each product of f32, and nothing else; what is in the space then follows.
// RUN: tune-opt %s --tune-annotate="target=cuda:sm_80 allow=tf32" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tune-opt %t.mlir --tune-annotate="target=cuda:sm_80 allow=tf32" -o - | diff %t.mlir -
// RUN: tune-opt %s --tune-annotate="target=cuda:sm_80" -o - | FileCheck %s --check-prefix=NOT
// RUN: not tune-opt %s --tune-annotate="allow=tf16" -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// So does a search, of whatever target.
// RUN: tune-opt %s --tune-search="random trials=1 target=null allow=bf16 db=%t.db report=quiet" -o - | FileCheck %s --check-prefix=SEARCH
// SEARCH: linalg.matmul {tune.allow = ["bf16"], tune.choices
// SEARCH: linalg.matmul {tune.choices
// CHECK: linalg.matmul {tune.allow = ["tf32"], tune.choices = {{.*}}tensor_cores = #tune.parallel<[0, 1]>
// CHECK: linalg.matmul {tune.choices
// NOT-NOT: tune.allow
// NOT-NOT: tensor_cores
// WRONG: 'tf16'{{.*}}tf32
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>, %h: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%h, %h : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
