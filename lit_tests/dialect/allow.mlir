// What may be allowed, and to what.
// RUN: tune-opt %s --split-input-file --verify-diagnostics --tune-verify

module attributes {tune.allow = ["tf32", "f16", "bf16", "int8"]} {
  func.func @right(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {tune.allow = []} {
    %0 = linalg.matmul {tune.allow = ["tf32"]} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----
// expected-error @below {{tune.allow: "tf16" is nothing that can be allowed; "tf32", "f16", "bf16" and "int8" are}}
func.func private @f(tensor<8xf32>) attributes {tune.allow = ["tf16"]}

// -----
// expected-error @below {{tune.allow: expected an array of strings, such as ["tf32"]}}
func.func private @f(tensor<8xf32>) attributes {tune.allow = "tf32"}

// -----
// expected-error @below {{tune.allow: element 1 is no string}}
func.func private @f(tensor<8xf32>) attributes {tune.allow = ["tf32", 1]}

// -----
// Products of f16 have nothing to lose.
func.func @f16(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{tune.allow: this op adds up no products of f32, of which alone something can be allowed; functions and modules can have it, too}}
  %0 = linalg.matmul {tune.allow = ["tf32"]} ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
func.func @sum(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{tune.allow: this op adds up no products of f32}}
  %0 = linalg.add {tune.allow = ["tf32"]} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
