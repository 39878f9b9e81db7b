// RUN: tune-opt %s --tune-search="target=null trials=1 report=quiet db=:memory:" --split-input-file --verify-diagnostics -o /dev/null
// What is wrong in tune.dim is said at the function, with an example of what is right.

// expected-error @below {{'8,': expected a size from 1 to 2147483647 at ''; sizes are SIZE or FIRST-LAST with commas between, each with :SHARE of the calls if you like, as in 1:0.5,64,128-512}}
func.func @words(%x: tensor<?xf32> {tune.dim = ["n=8,"]}) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// expected-error @below {{tune.dim: of 'n' no sizes are said; one of its dimensions says them, as n=1:0.5,64,128-512}}
func.func @name_alone(%x: tensor<?xf32> {tune.dim = ["n"]}) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// expected-error @below {{tune.dim: sizes of the same name are equal, and of 'n' different ones are said; say them once, and the name alone elsewhere}}
func.func @twice(%x: tensor<?xf32> {tune.dim = ["n=8"]}, %y: tensor<?xf32> {tune.dim = ["n=9"]}) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// expected-error @below {{tune.dim: '3n=8': expected a name before '=', as in tokens=1:0.5,64,128-512}}
func.func @no_name(%x: tensor<?xf32> {tune.dim = ["3n=8"]}) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// expected-error @below {{tune.dim: sizes with more than 4 different names}}
func.func @names(%x: tensor<?x?x?x?x?xf32> {tune.dim = ["a=1", "b=1", "c=1", "d=1", "e=1"]}) -> tensor<?x?x?x?x?xf32> {
  %r = linalg.exp ins(%x : tensor<?x?x?x?x?xf32>) outs(%x : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// -----
// expected-error @below {{there would be 12 variants of the function, and 10 are the most: all combinations of sizes with different names; name fewer sizes}}
func.func @many(%x: tensor<?x?xf32> {tune.dim = ["a=1,2,3,4", "b=1,2,3"]}) -> tensor<?x?xf32> {
  %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// Sizes that the body contradicts.
func.func @apart(%x: tensor<?xf32> {tune.dim = ["a=8"]}, %y: tensor<?xf32> {tune.dim = ["b=9"]}) -> tensor<?xf32> {
  // expected-error @below {{the sizes of the arguments do not go together}}
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
