// A choice may cut a task apart: what is there in its place are tasks like others.
// RUN: tune-opt --tune-annotate %s | FileCheck %s --check-prefix=OPEN
// OPEN: grouping = #tune.alternative<["whole", "anchors", "ops"]>
// RUN: tune-opt --tune-print-space %s 2>&1 >/dev/null | FileCheck %s --check-prefix=SPACE
// SPACE: matmul 16x48x32 f32 +bias +exp
// SPACE: level graph: grouping = whole, anchors, ops

// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = "anchors"}}/' %s > %t.anchors.mlir
// RUN: tune-opt --tune-print-space %t.anchors.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=ANCHORS --implicit-check-not="level graph"
// ANCHORS: matmul 16x48x32 f32
// ANCHORS-NEXT: key
// ANCHORS: elementwise 16x48 f32 (2 ops)
// ANCHORS-NEXT: key
// RUN: tune-run %t.anchors.mlir --db= --check --time=0.01 | FileCheck %s --check-prefix=TWO
// TWO: 2 tasks
// TWO: Check {{ *}}ok
// RUN: tune-opt --tune-lower %t.anchors.mlir | FileCheck %s --check-prefix=LOWERED
// LOWERED: llvm.func @main
// RUN: tune-opt --tune-export-schedule %t.anchors.mlir -o %t.schedule.mlir
// RUN: FileCheck %s --check-prefix=EXPORTED < %t.schedule.mlir
// EXPORTED: transform.with_named_sequence

// What is annotated then is of the parts, which are not cut further.
// RUN: tune-opt --tune-annotate %t.anchors.mlir | FileCheck %s --check-prefix=PARTS
// PARTS: linalg.matmul {tune.choices = {grouping = "anchors", {{.*}}mr =
// PARTS: linalg.generic
// PARTS: linalg.generic {{.*}}tune.choices = {
// PARTS-NOT: grouping

// Domains that are of the whole, as tune-annotate leaves them, are not the parts'.
// RUN: tune-opt --tune-annotate %s | sed 's/grouping = #tune.alternative<[^>]*>/grouping = "anchors"/' | tune-opt --tune-print-space 2>&1 >/dev/null | FileCheck %s --check-prefix=ANCHORS --implicit-check-not="level graph"

// "ops" goes further, a domain is taken as what it joins most, and "whole" is as without it.
// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = "ops"}}/' %s | tune-opt --tune-print-space 2>&1 >/dev/null | FileCheck %s --check-prefix=OPS
// OPS: matmul 16x48x32 f32
// OPS: bias 16x48 f32
// OPS: exp 16x48 f32
// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = #tune.alternative<["ops", "anchors"]>}}/' %s | tune-opt --tune-print-space 2>&1 >/dev/null | FileCheck %s --check-prefix=ANCHORS
// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = "whole"}}/' %s | tune-opt --tune-print-space 2>&1 >/dev/null | FileCheck %s --check-prefix=SPACE

// It is said for one target as well.
// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {cpu = {grouping = "anchors"}, vulkan = {grouping = "whole"}}}/' %s > %t.targets.mlir
// RUN: tune-opt --tune-print-space %t.targets.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=ANCHORS --implicit-check-not="level graph"
// RUN: tune-opt --tune-print-space=target=vulkan:generic %t.targets.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=SPACE

// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = "stages"}}/' %s | not tune-opt --tune-print-space 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = "apart"}}/' %s | not tune-opt --tune-lower 2>&1 | FileCheck %s --check-prefix=APART
// RUN: sed 's/linalg.matmul/linalg.matmul {tune.choices = {grouping = 2}}/' %s > %t.number.mlir
// RUN: not tune-run %t.number.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// STAGES: error: tune.choices: "grouping" is "stages"; those of the task 'matmul 16x48x32 f32 +bias +exp' are "whole", "anchors", "ops"
// APART: error: tune.choices: "grouping" is "apart"; those of the task
// NUMBER: error: tune.choices: "grouping" is no word; those of the task
// Choices on an op that is the anchor of a part are a mistake where there are no parts.
// RUN: sed 's/, library_call = "last"/, tune.choices = {grouping = "whole"}/' %s | not tune-opt --tune-print-space 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: tune.choices: this op stands for no task before one is cut apart
// So is a grouping of a part, which is not cut further.
// RUN: sed 's/, library_call = "last"/, tune.choices = {grouping = "ops"}/' %t.anchors.mlir | not tune-opt --tune-print-space 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: tune.choices: this op stands for no task before one is cut apart, so that nobody would read its "grouping"
#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<16x32xf32>, %b: tensor<32x48xf32>, %bias: tensor<48xf32>) -> tensor<16x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x48xf32>) -> tensor<16x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<16x48xf32>) -> tensor<16x48xf32>
  %1 = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<16x48xf32>, tensor<48xf32>) outs(%empty : tensor<16x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<16x48xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"], library_call = "last"} ins(%1 : tensor<16x48xf32>) outs(%empty : tensor<16x48xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<16x48xf32>
  return %2 : tensor<16x48xf32>
}
