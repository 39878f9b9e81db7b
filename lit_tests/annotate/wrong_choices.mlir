// What a user chose wrongly is told at the op, with what would be right.
// RUN: tune-opt %s --split-input-file --verify-diagnostics --tune-annotate="target=null schedule=%S/Inputs/tiles.mlir"
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tune-annotate{target=null schedule=%S/Inputs/tiles.mlir})'

// No knob of that name.
func.func @unknown_knob(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{tune.choices: no knob "mcc"; did you mean "mc"? The knobs are mc, nc, order, level}}
  // expected-note-re @below {{the space of 'matmul 64x64x32 f32' is from {{.*}}tiles.mlir; `tune-opt --tune-print-space` shows it}}
  %0 = linalg.matmul {tune.choices = {mcc = 8}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A value outside the domain.
func.func @outside(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{tune.choices: knob "mc" has the value 48, not in its domain [8, 16, 32]}}
  // expected-note-re @below {{the space of 'matmul 64x64x32 f32' is from {{.*}}tiles.mlir; `tune-opt --tune-print-space` shows it}}
  %0 = linalg.matmul {tune.choices = {mc = 48}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A word that is none of the labels.
func.func @unknown_word(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{tune.choices: knob "order" has the value sideways, not in its domain [rows, columns]}}
  // expected-note-re @below {{the space of 'matmul 64x64x32 f32' is from {{.*}}tiles.mlir; `tune-opt --tune-print-space` shows it}}
  %0 = linalg.matmul {tune.choices = {order = "sideways"}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A domain that is no subset.
func.func @no_subset(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{tune.choices: knob "mc" has the value 24, not in its domain [8, 16, 32]}}
  // expected-note-re @below {{the space of 'matmul 64x64x32 f32' is from {{.*}}tiles.mlir; `tune-opt --tune-print-space` shows it}}
  %0 = linalg.matmul {tune.choices = {mc = #tune.tile<[8, 24]>}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Values that break a constraint.
func.func @violated(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{tune.choices: mc = 32, nc = 32 violates mc * nc <= 512: a tile has 512 elements at most}}
  // expected-note-re @below {{the space of 'matmul 64x64x32 f32' is from {{.*}}tiles.mlir; `tune-opt --tune-print-space` shows it}}
  %0 = linalg.matmul {tune.choices = {mc = 32, nc = 32}} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Two ops of one structure are decided together.
func.func @contradiction(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>,
                         %d: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul {tune.choices = {mc = #tune.tile<[8, 16]>}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error-re @below {{tune.choices: knob "mc" has [32] here and [8, 16] at {{.*}}wrong_choices.mlir:{{[0-9]+}}:8; both ops are the task 'matmul 64x64x32 f32', and are decided together}}
  %1 = linalg.matmul {tune.choices = {mc = 32}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A fill goes with the matmul, and so do its decisions.
func.func @no_anchor(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  // expected-error @below {{tune.choices: this op stands for no task, so that nobody would read its choices}}
  // expected-note @below {{`tune-opt --tune-annotate` puts them where they belong, `--tune-extract` lists the tasks}}
  %init = linalg.fill {tune.choices = {mc = 8}} ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
