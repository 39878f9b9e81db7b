// Integers of 4 and 12 bits: what carries beyond their bits, and what asks for their sign. Each
// function does several ops on them, whose results go on into others.
func.func @arithmetic_4_extsi(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %0 = arith.addi %a, %b : i4
    %1 = arith.subi %a, %0 : i4
    %z = arith.muli %1, %b : i4
    %s = arith.extsi %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @shifts_4_extsi(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %t = arith.constant 3 : i4
    %d = arith.andi %b, %t : i4
    %0 = arith.shli %a, %d : i4
    %1 = arith.shrsi %0, %d : i4
    %z = arith.shrui %1, %t : i4
    %s = arith.extsi %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @orders_4_extsi(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %c = arith.cmpi slt, %a, %b : i4
    %u = arith.cmpi ult, %a, %b : i4
    %0 = arith.select %c, %a, %b : i4
    %1 = arith.select %u, %0, %a : i4
    %2 = arith.maxsi %1, %b : i4
    %z = arith.minui %2, %a : i4
    %s = arith.extsi %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @divisions_4_extsi(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %t = arith.constant -3 : i4
    %0 = arith.divsi %a, %t : i4
    %1 = arith.remui %b, %t : i4
    %z = arith.addi %0, %1 : i4
    %s = arith.extsi %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @floats_4_extsi(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %h = arith.constant 0.25 : f32
    %f = arith.sitofp %a : i4 to f32
    %g = arith.mulf %f, %h : f32
    %z = arith.fptosi %g : f32 to i4
    %s = arith.extsi %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @arithmetic_4_extui(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %0 = arith.addi %a, %b : i4
    %1 = arith.subi %a, %0 : i4
    %z = arith.muli %1, %b : i4
    %s = arith.extui %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @shifts_4_extui(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %t = arith.constant 3 : i4
    %d = arith.andi %b, %t : i4
    %0 = arith.shli %a, %d : i4
    %1 = arith.shrsi %0, %d : i4
    %z = arith.shrui %1, %t : i4
    %s = arith.extui %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @orders_4_extui(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %c = arith.cmpi slt, %a, %b : i4
    %u = arith.cmpi ult, %a, %b : i4
    %0 = arith.select %c, %a, %b : i4
    %1 = arith.select %u, %0, %a : i4
    %2 = arith.maxsi %1, %b : i4
    %z = arith.minui %2, %a : i4
    %s = arith.extui %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @divisions_4_extui(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %t = arith.constant -3 : i4
    %0 = arith.divsi %a, %t : i4
    %1 = arith.remui %b, %t : i4
    %z = arith.addi %0, %1 : i4
    %s = arith.extui %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @floats_4_extui(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.trunci %p : i8 to i4
    %b = arith.trunci %q : i8 to i4
    %h = arith.constant 0.25 : f32
    %f = arith.sitofp %a : i4 to f32
    %g = arith.mulf %f, %h : f32
    %z = arith.fptosi %g : f32 to i4
    %s = arith.extui %z : i4 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @arithmetic_12_trunci(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.extsi %p : i8 to i12
    %b = arith.extsi %q : i8 to i12
    %0 = arith.addi %a, %b : i12
    %1 = arith.subi %a, %0 : i12
    %z = arith.muli %1, %b : i12
    %s = arith.trunci %z : i12 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @shifts_12_trunci(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.extsi %p : i8 to i12
    %b = arith.extsi %q : i8 to i12
    %t = arith.constant 3 : i12
    %d = arith.andi %b, %t : i12
    %0 = arith.shli %a, %d : i12
    %1 = arith.shrsi %0, %d : i12
    %z = arith.shrui %1, %t : i12
    %s = arith.trunci %z : i12 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @orders_12_trunci(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.extsi %p : i8 to i12
    %b = arith.extsi %q : i8 to i12
    %c = arith.cmpi slt, %a, %b : i12
    %u = arith.cmpi ult, %a, %b : i12
    %0 = arith.select %c, %a, %b : i12
    %1 = arith.select %u, %0, %a : i12
    %2 = arith.maxsi %1, %b : i12
    %z = arith.minui %2, %a : i12
    %s = arith.trunci %z : i12 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @divisions_12_trunci(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.extsi %p : i8 to i12
    %b = arith.extsi %q : i8 to i12
    %t = arith.constant -3 : i12
    %0 = arith.divsi %a, %t : i12
    %1 = arith.remui %b, %t : i12
    %z = arith.addi %0, %1 : i12
    %s = arith.trunci %z : i12 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
func.func @floats_12_trunci(%x: tensor<9x33xi8>, %y: tensor<9x33xi8>) -> tensor<9x33xi8> {
  %e = tensor.empty() : tensor<9x33xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<9x33xi8>, tensor<9x33xi8>) outs(%e : tensor<9x33xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.extsi %p : i8 to i12
    %b = arith.extsi %q : i8 to i12
    %h = arith.constant 0.25 : f32
    %f = arith.sitofp %a : i12 to f32
    %g = arith.mulf %f, %h : f32
    %z = arith.fptosi %g : f32 to i12
    %s = arith.trunci %z : i12 to i8
    linalg.yield %s : i8
  } -> tensor<9x33xi8>
  return %r : tensor<9x33xi8>
}
