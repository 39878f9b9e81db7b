// Not on a terminal a search says what it does in plain lines on stderr; stdout has the module and
// nothing else.
// RUN: split-file %s %t
// RUN: tune-opt %t/in.mlir --tune-search="random trials=3" 2>%t.log | tune-opt -o %t.out.mlir
// RUN: sed "/tune-search: warning: /d; /mlir-tune: waiting for /d" %t.log | FileCheck %s --match-full-lines
// RUN: tune-opt %t/in.mlir --tune-search="random trials=3 report=plain" -o %t.again.mlir 2>%t.again.log | count 0
// RUN: FileCheck %s --check-prefix=KNOWN < %t.again.log
// RUN: diff %t.out.mlir %t.again.mlir

// What the machine was like is kept with the records, too.
// RUN: tune-db show 32x48x16 | FileCheck %s --check-prefix=KEPT
// KEPT: of the first: pinned to CPU {{[0-9]+}}, governor {{.+}}, load {{[0-9.]+}}, others kept {{[0-9.]+}} of {{[0-9]+}} CPUs busy

// CHECK: tune-search: 2 tasks (in 3 places) for cpu: {{.+}}, 1 thread{{.*}}
// CHECK-NEXT: tune-search: records in {{.*}}/mlir-tune/tune.db
// CHECK-NEXT: tune-search: measuring on CPU {{[0-9]+}}, governor {{.+}}, load {{[0-9.]+}}, caches warm
// CHECK-NEXT: {{.*}}in.mlir:10:3: remark: linalg.fill is not tuned: {{.*}}
// CHECK: tune-search: [1/2] matmul 32x48x16 f32, 0/3{{.*}}
// CHECK: tune-search: [1/2] matmul 32x48x16 f32, 3/3, best {{[0-9.]+ [nu]s.*}}
// CHECK: tune-search: [2/2] matmul 32x24x48 f32, 0/3{{.*}}
// CHECK: tune-search: [2/2] matmul 32x24x48 f32, 3/3, best {{[0-9.]+ [nu]s.*}}
// CHECK-NEXT: task                      default      best  speed-up {{ *}}% peak  % roof  bound by  GFLOP/s  trials  failed  seconds  what mattered
// CHECK-NEXT: matmul 32x48x16 f32 (x2)  {{ *[0-9.]+ [nu]s +[0-9.]+ [nu]s .* 3 +[0-9]+ +[0-9.]+.*}}
// CHECK-NEXT: matmul 32x24x48 f32       {{ *[0-9.]+ [nu]s +[0-9.]+ [nu]s .* 3 +[0-9]+ +[0-9.]+.*}}
// What was compared, where the default does not stay, comes in between.
// CHECK: tune-search: load {{[0-9.]+}} at the end
// CHECK-NEXT: tune-search: 6 trials, 6 of them new, {{[0-9]+}} failed{{.*}}, in {{[0-9]+}} s
// CHECK-NOT: {{.}}
// KNOWN: tune-search: 6 trials, 0 of them new

// quiet is silent.
// RUN: tune-opt %t/in.mlir --tune-search="random trials=3 report=quiet" -o /dev/null 2>&1 | count 0

// timing says where the time went.
// RUN: tune-opt %t/in.mlir --tune-search="random trials=4 timing" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: timing: {{[0-9.]+}} s in all, first measurement after {{[0-9.]+}} s; transform {{[0-9.]+}} s, lower {{[0-9.]+}} s, optimize {{[0-9.]+}} s, codegen {{[0-9.]+}} s, link {{[0-9.]+}} s, measure {{[0-9.]+}} s; {{[0-9.]+}} candidates built a second and core

//--- in.mlir
func.func @model(%a: tensor<32x16xf32>, %b: tensor<16x48xf32>, %c: tensor<32x48xf32>,
                 %d: tensor<48x24xf32>, %e: tensor<32x24xf32>) -> (tensor<32x24xf32>, tensor<32x48xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<32x16xf32>, tensor<16x48xf32>) outs(%c : tensor<32x48xf32>) -> tensor<32x48xf32>
  %1 = linalg.matmul ins(%0, %d : tensor<32x48xf32>, tensor<48x24xf32>) outs(%e : tensor<32x24xf32>) -> tensor<32x24xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<32x16xf32>, tensor<16x48xf32>) outs(%0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %1, %2 : tensor<32x24xf32>, tensor<32x48xf32>
}
func.func @buffers(%a: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<8x8xf32>)
  return
}
