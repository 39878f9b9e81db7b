// What joined a product, or lies in another order than a rule wants, is taken both ways where rules do:
// the knob `layout` of one space says which, and knobs of the form that is not the default have its name.
// Records, choices, scripts and `--strict` know nothing of it but the knob.
// RUN: tune-opt %s --tune-print-space=target=null -o %t.space.mlir 2>&1 | FileCheck %s
// RUN: tune-opt %t.space.mlir -o /dev/null 2>&1 | count 0
// CHECK: conv 64x12x12 over 16x3x3 f32
// CHECK: rule 'conv_blocked' for
// CHECK: layout {{ *}}graph {{ *}}raw {{ *}}raw, output
// CHECK: mr {{.*}}layout == raw
// CHECK: output_algorithm {{ *}}linalg {{ *}}{{direct|im2col}} {{ *}}layout == output
// CHECK: output_mr
// CHECK-NOT: raw_

// Built by either, and never by another rule.
// RUN: tune-run %s --db= --strict --time=0.001 --config=layout=raw | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --db= --strict --time=0.001 --config=layout=output | FileCheck %s --check-prefix=OK
// OK: 1 task (by the config)
// OK: Check{{ +}}ok

// A choice on the op, an exported script of it, and the script in stock mlir-opt.
// RUN: sed 's/{strides/{tune.choices = {layout = "output"}, strides/' %s > %t.chosen.mlir
// RUN: tune-run %t.chosen.mlir --db= --strict --time=0.001 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: 1 task (by choices)
// CHOSEN: Check{{ +}}ok
// RUN: tune-opt %t.chosen.mlir --tune-export-schedule=strict -o %t.script.mlir
// RUN: FileCheck %s --check-prefix=SCRIPT --input-file=%t.script.mlir
// RUN: mlir-opt %t.chosen.mlir --allow-unregistered-dialect --transform-preload-library='transform-library-paths=%t.script.mlir' --transform-interpreter -o /dev/null
// SCRIPT-NOT: alternatives
// SCRIPT-NOT: tune.consumes
// SCRIPT: named_sequence @tune_tensors_0({{.*}}transform.consumed

// A search has both in its records, and what it leaves is found in the database.
// RUN: rm -f %t.db && tune-opt %s --tune-search="strategy=random target=null trials=40 finalists=0 db=%t.db" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: 40 trials
// RUN: tune-db show conv --db=%t.db --limit=0 | FileCheck %s --check-prefix=SHOWN
// SHOWN-DAG: layout=0
// SHOWN-DAG: layout=1
// RUN: tune-opt %s --tune-apply="target=null db=%t.db" | FileCheck %s --check-prefix=APPLIED
// APPLIED: layout = #tune.chosen<"alternative", "{{raw|output}}", "database:

// The form that is not the first is a rule of its own where it is asked for, or where the first fails.
// RULE: 1 task
// RULE: Check{{ +}}ok
// RUN: sed 's/{strides/{tune.choices = {rule = "contraction"}, strides/' %s | tune-run - --db= --strict --time=0.001 | FileCheck %s --check-prefix=RULE
// RUN: sed 's/{strides/{tune.choices = {rule = "conv_blocked\/filter"}, strides/' %s | tune-run - --db= --strict --time=0.001 | FileCheck %s --check-prefix=RULE
// RUN: sed 's/{strides/{tune.choices = {rule = "contraction\/side"}, strides/' %s | not tune-run - --db= 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: no rule "contraction/side" takes this task; those that do are {{.*}}conv_blocked/filter{{.*}}contraction
func.func @main(%x: tensor<1x16x25x25xf32>, %w: tensor<64x16x3x3xf32>) -> tensor<1x64x12x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x12x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x12x12xf32>) -> tensor<1x64x12x12xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x16x25x25xf32>, tensor<64x16x3x3xf32>) outs(%z : tensor<1x64x12x12xf32>) -> tensor<1x64x12x12xf32>
  return %r : tensor<1x64x12x12xf32>
}

// Rule and layout are of the level graph: a search of other levels leaves the layout alone.
// RUN: rm -f %t.db && tune-opt %s --tune-search="strategy=random target=null trials=40 finalists=0 levels=linalg,vector db=%t.db" -o /dev/null
// RUN: tune-db show conv --db=%t.db --limit=0 | FileCheck %s --check-prefix=FROZEN --implicit-check-not=layout=1
// FROZEN: layout=0
// RUN: rm -f %t.db && tune-opt %s --tune-search="strategy=grid target=null trials=40 finalists=0 levels=graph db=%t.db" -o /dev/null
// RUN: tune-db show conv --db=%t.db --limit=0 | FileCheck %s --check-prefix=GRAPH
// GRAPH-DAG: layout=0
// GRAPH-DAG: layout=1
