// tune-verify lists choices on request, the same in tune-opt and in stock mlir-opt; the IR is as before.
// RUN: tune-opt %s --tune-verify=all 2>&1 >%t.mlir | FileCheck %s --check-prefixes=OPEN,CHOSEN
// RUN: tune-opt %s -o %t.plain.mlir
// RUN: diff %t.mlir %t.plain.mlir
// RUN: tune-opt %s --tune-verify="list=open" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=OPEN --implicit-check-not=remark
// RUN: tune-opt %s --tune-verify=chosen -o %t.mlir 2>&1 | FileCheck %s --check-prefix=CHOSEN --implicit-check-not=remark
// RUN: tune-opt %s --tune-verify -o %t.mlir 2>&1 | FileCheck %s --allow-empty --implicit-check-not=remark
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --pass-pipeline='builtin.module(tune-verify{chosen})' %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=CHOSEN --implicit-check-not=remark

// Options stay in the pipeline that MLIR prints for reproducers.
// RUN: tune-opt %s --tune-verify="list=open" --dump-pass-pipeline -o %t.mlir 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: tune-verify{list=open}

// OPEN: verify_pass.mlir:[[@LINE+4]]:1: remark: lowering: open, alternative [outerproduct, dot]
// OPEN: verify_pass.mlir:[[@LINE+3]]:1: remark: mc: open, tile [8, 16]
// CHOSEN: verify_pass.mlir:[[@LINE+2]]:1: remark: nr: 32, from search:random
// CHOSEN: verify_pass.mlir:[[@LINE+1]]:1: remark: pack: b, from user
func.func private @f() attributes {tune.choices = {
  mc = #tune.tile<[8, 16]>, lowering = #tune.alternative<["outerproduct", "dot"]>,
  nr = #tune.chosen<"tile", 32, "search:random">, pack = "b"}}
