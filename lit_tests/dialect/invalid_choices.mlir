// Choices that MLIR accepts as attributes and that mean nothing are refused by every pass of ours, at
// the op that has them.
// RUN: tune-opt %s --split-input-file --verify-diagnostics --tune-verify
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tune-verify)'

// expected-error @below {{tune.choices: expected a dictionary {name = choice, ...}}}
func.func private @f() attributes {tune.choices = 7}

// -----
// expected-error @below {{tune.choices: "mc": expected a domain such as #tune.tile<[8, 16]>, a #tune.chosen, an i64 or a string}}
func.func private @f() attributes {tune.choices = {mc = [8, 16]}}

// -----
// expected-error @below {{tune.choices: "m c": the name is not a word}}
func.func private @f() attributes {tune.choices = {"m c" = 8}}

// -----
func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{tune.choises: no such attribute; did you mean tune.choices?}}
  %0 = linalg.matmul {tune.choises = {mc = 8}} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
