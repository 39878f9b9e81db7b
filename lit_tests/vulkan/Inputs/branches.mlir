func.func private @product(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %p : tensor<32x32xf32>
}
// By an element of a tensor: a product, or a sum.
func.func @if(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.5 : f32
  %x = tensor.extract %a[%c0, %c0] : tensor<32x32xf32>
  %is = arith.cmpf ogt, %x, %h : f32
  %r = scf.if %is -> tensor<32x32xf32> {
    %p = func.call @product(%a, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %p : tensor<32x32xf32>
  } else {
    %e = tensor.empty() : tensor<32x32xf32>
    %p = linalg.add ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %p : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}
// A power, and a sum of a scalar on the way.
func.func @for(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %r, %s = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %t = %z) -> (tensor<32x32xf32>, f32) {
    %p = func.call @product(%x, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %v = tensor.extract %p[%i, %c1] : tensor<32x32xf32>
    %u = arith.addf %t, %v : f32
    scf.yield %p, %u : tensor<32x32xf32>, f32
  }
  %o = tensor.from_elements %s : tensor<f32>
  return %r, %o : tensor<32x32xf32>, tensor<f32>
}
// Two that change places.
func.func @swap(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    %p = func.call @product(%x, %y) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %y, %p : tensor<32x32xf32>, tensor<32x32xf32>
  }
  return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}
// Halves until it is small.
func.func @while(%a: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %h = arith.constant 0.5 : f32
  %small = arith.constant 0.01 : f32
  %r:2 = scf.while (%x = %a, %n = %n0) : (tensor<32x32xf32>, i32) -> (tensor<32x32xf32>, i32) {
    %v = tensor.extract %x[%c0, %c0] : tensor<32x32xf32>
    %w = math.absf %v : f32
    %is = arith.cmpf ogt, %w, %small : f32
    scf.condition(%is) %x, %n : tensor<32x32xf32>, i32
  } do {
  ^bb0(%x: tensor<32x32xf32>, %n: i32):
    %e = tensor.empty() : tensor<32x32xf32>
    %k = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
    ^bb0(%v: f32, %o: f32):
      %y = arith.mulf %v, %h : f32
      linalg.yield %y : f32
    } -> tensor<32x32xf32>
    %m = arith.addi %n, %n1 : i32
    scf.yield %k, %m : tensor<32x32xf32>, i32
  }
  %o = tensor.from_elements %r#1 : tensor<i32>
  return %r#0, %o : tensor<32x32xf32>, tensor<i32>
}
// Branches between blocks, as often as an argument says.
func.func @blocks(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %times: tensor<i32>) -> tensor<32x32xf32> {
  %most = arith.constant 3 : i32
  %given = tensor.extract %times[] : tensor<i32>
  %limit = arith.maxsi %given, %most : i32
  %n = arith.minsi %limit, %most : i32
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%a, %z : tensor<32x32xf32>, i32)
^head(%x: tensor<32x32xf32>, %i: i32):
  %is = arith.cmpi slt, %i, %n : i32
  cf.cond_br %is, ^body, ^done
^body:
  %p = func.call @product(%x, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %j = arith.addi %i, %one : i32
  cf.br ^head(%p, %j : tensor<32x32xf32>, i32)
^done:
  return %x : tensor<32x32xf32>
}
// A branch in a loop, by flags.
func.func @nested(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %flags: tensor<4xi1>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (tensor<32x32xf32>) {
    %f = tensor.extract %flags[%i] : tensor<4xi1>
    %y = scf.if %f -> tensor<32x32xf32> {
      %p = func.call @product(%x, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      scf.yield %p : tensor<32x32xf32>
    } else {
      scf.yield %x : tensor<32x32xf32>
    }
    %e = tensor.empty() : tensor<32x32xf32>
    %s = linalg.sub ins(%y, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}
// A loop that comes to scalars alone, and a choice among three.
func.func @switch(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0.0 : f32
  %n = scf.for %i = %c0 to %c32 step %c1 iter_args(%k = %c0) -> (index) {
    %v = tensor.extract %a[%i, %c0] : tensor<32x32xf32>
    %is = arith.cmpf ogt, %v, %z : f32
    %j = arith.addi %k, %c1 : index
    %s = arith.select %is, %j, %k : index
    scf.yield %s : index
  }
  %three = arith.constant 3 : index
  %m = arith.remui %n, %three : index
  %r = scf.index_switch %m -> tensor<32x32xf32>
  case 0 {
    scf.yield %a : tensor<32x32xf32>
  }
  case 1 {
    %p = func.call @product(%a, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %p : tensor<32x32xf32>
  }
  default {
    %p = func.call @product(%b, %a) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %p : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}
func.func private @down(%a: tensor<32x32xf32>, %n: i32) -> tensor<32x32xf32> {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %is = arith.cmpi sgt, %n, %z : i32
  %r = scf.if %is -> tensor<32x32xf32> {
    %p = func.call @product(%a, %a) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %m = arith.subi %n, %one : i32
    %q = func.call @down(%p, %m) : (tensor<32x32xf32>, i32) -> tensor<32x32xf32>
    scf.yield %q : tensor<32x32xf32>
  } else {
    scf.yield %a : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}
func.func @recursive(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %n = arith.constant 2 : i32
  %q = func.call @down(%a, %n) : (tensor<32x32xf32>, i32) -> tensor<32x32xf32>
  return %q : tensor<32x32xf32>
}
