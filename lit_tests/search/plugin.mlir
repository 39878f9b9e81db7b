// The same in stock mlir-opt. The servers are found beside the plugin's folder.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %S/Inputs/matmul.mlir --pass-pipeline='builtin.module(tune-search{random trials=2})' 2>%t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG < %t.log
// CHECK: linalg.matmul {tune.choices =
// LOG: tune-search: 2 trials, 2 of them new
