// tune.constant is for tensor arguments of functions, and takes no value.
// RUN: tune-opt %s --split-input-file --verify-diagnostics --tune-verify

func.func @right(%a: tensor<8xf32>, %w: tensor<8xf32> {tune.constant}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----
// expected-error @below {{tune.constant of argument 1 takes no value}}
func.func private @f(tensor<8xf32>, tensor<8xf32> {tune.constant = true})

// -----
// Bufferization keeps it.
func.func private @f(memref<8xf32> {tune.constant})

// -----
// expected-error @below {{tune.constnt of argument 1 is nothing that an argument can have; did you mean tune.constant, tune.dim or tune.measured_at?}}
func.func private @f(tensor<8xf32>, tensor<8xf32> {tune.constnt})

// -----
// expected-error @below {{tune.constant is for tensors, and argument 0 is none}}
func.func private @f(f32 {tune.constant})

// -----
// expected-error @below {{tune.constant is for arguments of functions: func.func @f(%w: tensor<...> {tune.constant})}}
func.func private @f(tensor<8xf32>) attributes {tune.constant}
