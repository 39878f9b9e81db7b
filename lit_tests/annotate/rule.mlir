// A choice may name the rule that makes the space.
// RUN: tune-opt --tune-print-space %s 2>&1 | FileCheck %s
// RUN: sed 's/"general"/"contraction"/' %s | tune-opt --tune-print-space 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: sed 's/"general"/"winograd"/' %s | not tune-opt --tune-print-space 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/"general"/3/' %s | not tune-opt --tune-print-space 2>&1 | FileCheck %s --check-prefix=NUMBER
// CHECK: rule 'general' for target cpu
// FIRST: rule 'contraction' for target cpu
// OTHER: error: no rule "winograd" takes this task; those that do are contraction, {{.*}}general, plain
// NUMBER: error: tune.choices: "rule" is the name of a rule, as in {rule = "general"}

// What a search finds then says by which rule.
// RUN: tune-opt --tune-search="random trials=3 seed=1 target=null db=%t.db" %s 2>/dev/null | FileCheck %s --check-prefix=SEARCHED
// SEARCHED: rule = "general"
// RUN: tune-opt --tune-lower %s | FileCheck %s --check-prefix=LOWERED
// LOWERED: llvm.func @main
func.func @main(%a: tensor<32x64xf32>, %b: tensor<64x48xf32>, %c: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %r = linalg.matmul {tune.choices = {rule = "general"}} ins(%a, %b : tensor<32x64xf32>, tensor<64x48xf32>) outs(%c : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
}
