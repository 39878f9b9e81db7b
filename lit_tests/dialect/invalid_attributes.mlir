// Wrong attributes are refused where they stand, while parsing.
// RUN: tune-opt %s --split-input-file --verify-diagnostics
// RUN: mlir-opt --load-dialect-plugin=%plugin %s --split-input-file --verify-diagnostics

// expected-error @below {{the domain is empty}}
func.func private @f() attributes {tune.choices = {mc = #tune.tile<[]>}}

// -----
// expected-error @below {{the value 8 is in the domain twice}}
func.func private @f() attributes {tune.choices = {mc = #tune.tile<[8, 16, 8]>}}

// -----
// expected-error @below {{the value -1 is below 0, the least of #tune.tile}}
func.func private @f() attributes {tune.choices = {mc = #tune.tile<[-1]>}}

// -----
// expected-error @below {{a value has to be an i64, but is "8"}}
func.func private @f() attributes {tune.choices = {mc = #tune.unroll<["8"]>}}

// -----
// expected-error @below {{a value has to be a string, but is 1 : i64}}
func.func private @f() attributes {tune.choices = {mc = #tune.alternative<[1, 2]>}}

// -----
// expected-error @below {{expected base attribute 'builtin.array' but got 'builtin.integer'}}
func.func private @f() attributes {tune.choices = {mc = #tune.pack<8>}}

// -----
// expected-error @below {{expected 1 parameters, but had 0}}
func.func private @f() attributes {tune.choices = {mc = #tune.order}}

// -----
// expected-error @below {{no kind of choice is named "tiling"; the kinds are tile, fuse,}}
func.func private @f() attributes {tune.choices = {mc = #tune.chosen<"tiling", 8, "user">}}

// -----
// expected-error @below {{the provenance has to be "user", "default", "search:<strategy>" or "database:<where>", but is "somebody"}}
func.func private @f() attributes {tune.choices = {mc = #tune.chosen<"tile", 8, "somebody">}}

// -----
// expected-error @below {{expected dynamic attribute}}
func.func private @f() attributes {tune.choices = {mc = #tune.tiles<[8]>}}
