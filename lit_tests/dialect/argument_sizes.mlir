// RUN: tune-opt %s --tune-verify --split-input-file --verify-diagnostics
// What is said of the sizes of arguments is about those that there are.

func.func private @right(%x: tensor<?x?x4xf32> {tune.dim = ["n=1,8-64", "64", ""], tune.measured_at = array<i64: 8, 64, 4>})

// -----
// expected-error @below {{tune.dim of argument 0 is a list with a text for each dimension of a tensor, as ["1:0.5,64,128-512", ""]}}
func.func private @too_few(%x: tensor<?x4xf32> {tune.dim = ["1"]})

// -----
// expected-error @below {{tune.dim of argument 1 is a list with a text for each dimension of a tensor}}
func.func private @numbers(%x: f32, %y: tensor<?xf32> {tune.dim = [1]})

// -----
// expected-error @below {{tune.dim of argument 0 is a list with a text for each dimension of a tensor}}
func.func private @no_tensor(%x: index {tune.dim = ["1"]})

// -----
// expected-error @below {{tune.dim of argument 0: dimension 1 has one size, 4; its text is to be empty}}
func.func private @not_open(%x: tensor<?x4xf32> {tune.dim = ["1", "2"]})

// -----
// expected-error @below {{tune.measured_at of argument 0 is a shape that its type allows, as array<i64: 128, 64> of tensor<?x64xf32>}}
func.func private @other_size(%x: tensor<?x4xf32> {tune.measured_at = array<i64: 8, 8>})

// -----
// expected-error @below {{tune.measured_at of argument 0 is a shape that its type allows}}
func.func private @no_size(%x: tensor<?x4xf32> {tune.measured_at = array<i64: 0, 4>})
