// What comes out of StableHLO's lowering to linalg has other forms of the same: numbers are tensors, bodies of
// reductions make tensors of each element, concatenations ask for each element where it is, and depthwise
// convolutions are groups of one channel. It falls into the same tasks.
// RUN: tune-opt %s --tune-extract=remarks=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tune-opt %s --tune-extract=none | FileCheck %s --check-prefix=IR
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=three_parts --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=one_line --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=causal --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=numbered --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=gap --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=numbers --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=network --db= --target=vulkan --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#red3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#none = affine_map<(d0, d1, d2, d3) -> ()>

// Channels innermost from where the parts are joined to the end.
// IR-LABEL: func.func @network(
// IR-NOT: scf.if
// IR: call @tune_task_{{.*}} -> tensor<784x64xf32>
// IR: call @tune_task_{{.*}} : (tensor<28x28x64xf32>, tensor<64x7x7xf32>, tensor<28x28x64xf32>) -> tensor<28x28x64xf32>
// CHECK-DAG: matmul 784x64x8 f32 +elementwise
// CHECK-DAG: conv 28x28x64 over 7x7 f32 +pad
// CHECK-DAG: matmul 784x8x64 f32
func.func @network(%x: tensor<1x4x28x28xf32>, %y: tensor<1x4x28x28xf32>, %z: tensor<64x8x1x1xf32> {tune.constant},
    %w: tensor<64x1x7x7xf32> {tune.constant}, %a: tensor<8x64x1x1xf32> {tune.constant}) -> tensor<1x8x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %j0 = tensor.empty() : tensor<1x8x28x28xf32>
  %joined = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%j0 : tensor<1x8x28x28xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %v = linalg.index 3 : index
    %i = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %x, %c1 : tensor<1x4x28x28xf32>
    %end = arith.addi %c0, %dim : index
    %is_first = arith.cmpi ult, %i, %end : index
    %taken = scf.if %is_first -> (f32) {
      %at = arith.subi %i, %c0 : index
      %t = tensor.extract %x[%n, %at, %h, %v] : tensor<1x4x28x28xf32>
      scf.yield %t : f32
    } else {
      %at = arith.subi %i, %end : index
      %t = tensor.extract %y[%n, %at, %h, %v] : tensor<1x4x28x28xf32>
      scf.yield %t : f32
    }
    linalg.yield %taken : f32
  } -> tensor<1x8x28x28xf32>
  %e0 = tensor.empty() : tensor<1x64x28x28xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %wide = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%joined, %z : tensor<1x8x28x28xf32>, tensor<64x8x1x1xf32>) outs(%f0 : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %six = arith.constant dense<6.0> : tensor<f32>
  %sixes = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%six : tensor<f32>) outs(%e0 : tensor<1x64x28x28xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x64x28x28xf32>
  %least = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%wide, %sixes : tensor<1x64x28x28xf32>, tensor<1x64x28x28xf32>) outs(%e0 : tensor<1x64x28x28xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %m = arith.minimumf %in, %other : f32
    linalg.yield %m : f32
  } -> tensor<1x64x28x28xf32>
  %padded = tensor.pad %least low[0, 0, 3, 3] high[0, 0, 3, 3] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x64x28x28xf32> to tensor<1x64x34x34xf32>
  %groups = tensor.expand_shape %padded [[0], [1], [2, 3], [4]] output_shape [1, 64, 1, 34, 34] : tensor<1x64x34x34xf32> into tensor<1x64x1x34x34xf32>
  %filters = tensor.expand_shape %w [[0], [1], [2, 3], [4]] output_shape [64, 1, 1, 7, 7] : tensor<64x1x7x7xf32> into tensor<64x1x1x7x7xf32>
  %e1 = tensor.empty() : tensor<1x64x1x28x28xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x64x1x28x28xf32>) -> tensor<1x64x1x28x28xf32>
  %depthwise = linalg.generic {indexing_maps = [affine_map<(g, i, o, h, p, w, q, n) -> (n, g, i, h + p, w + q)>,
                                                affine_map<(g, i, o, h, p, w, q, n) -> (g, o, i, p, q)>,
                                                affine_map<(g, i, o, h, p, w, q, n) -> (n, g, o, h, w)>],
                               iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%groups, %filters : tensor<1x64x1x34x34xf32>, tensor<64x1x1x7x7xf32>) outs(%f1 : tensor<1x64x1x28x28xf32>) {
  ^bb0(%in: f32, %filter: f32, %out: f32):
    %m = arith.mulf %in, %filter : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x64x1x28x28xf32>
  %flat = tensor.collapse_shape %depthwise [[0], [1], [2, 3], [4]] : tensor<1x64x1x28x28xf32> into tensor<1x64x28x28xf32>
  %e2 = tensor.empty() : tensor<1x8x28x28xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x8x28x28xf32>) -> tensor<1x8x28x28xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%flat, %a : tensor<1x64x28x28xf32>, tensor<8x64x1x1xf32>) outs(%f2 : tensor<1x8x28x28xf32>) -> tensor<1x8x28x28xf32>
  return %r : tensor<1x8x28x28xf32>
}

// IR-LABEL: func.func @three_parts(
// IR-NOT: scf.if
// IR: return
func.func @three_parts(%x: tensor<4x5xf32>, %y: tensor<4x2xf32>, %z: tensor<4x9xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x16xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %a = arith.cmpi ult, %i, %c5 : index
    %t = scf.if %a -> (f32) {
      %v = tensor.extract %x[%n, %i] : tensor<4x5xf32>
      scf.yield %v : f32
    } else {
      %b = arith.cmpi ult, %i, %c7 : index
      %u = scf.if %b -> (f32) {
        %at = arith.subi %i, %c5 : index
        %v = tensor.extract %y[%n, %at] : tensor<4x2xf32>
        scf.yield %v : f32
      } else {
        %at = arith.subi %i, %c7 : index
        %v = tensor.extract %z[%n, %at] : tensor<4x9xf32>
        scf.yield %v : f32
      }
      scf.yield %u : f32
    }
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Canonicalized: the index along one element is a constant.
// IR-LABEL: func.func @one_line(
// IR-NOT: scf.if
// IR: return
func.func @one_line(%x: tensor<1x5xf32>, %y: tensor<1x2xf32>) -> tensor<1x7xf32> {
  %e = tensor.empty() : tensor<1x7xf32>
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<1x7xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %a = arith.cmpi ult, %i, %c5 : index
    %t = scf.if %a -> (f32) {
      %v = tensor.extract %x[%c0, %i] : tensor<1x5xf32>
      scf.yield %v : f32
    } else {
      %at = arith.subi %i, %c5 : index
      %v = tensor.extract %y[%c0, %at] : tensor<1x2xf32>
      scf.yield %v : f32
    }
    linalg.yield %t : f32
  } -> tensor<1x7xf32>
  return %r : tensor<1x7xf32>
}

// The second part begins one element late: nothing that joins tensors.
// CHECK-DAG: gather 4x16 f32
func.func @gap(%x: tensor<4x5xf32>, %y: tensor<4x12xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x16xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %a = arith.cmpi ult, %i, %c5 : index
    %t = scf.if %a -> (f32) {
      %v = tensor.extract %x[%n, %i] : tensor<4x5xf32>
      scf.yield %v : f32
    } else {
      %at = arith.subi %i, %c4 : index
      %v = tensor.extract %y[%n, %at] : tensor<4x12xf32>
      scf.yield %v : f32
    }
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Softmax by a maximum and a sum whose bodies go through tensors. A scale and a truth are tensors before.
// CHECK-DAG: softmax 8x64x50 f32
func.func @numbers(%x: tensor<8x64x50xf32>, %m: tensor<8x64x50xi1>) -> tensor<8x64x50xf32> {
  %scale = arith.constant dense<0.25> : tensor<8x64x50xf32>
  %true = arith.constant dense<true> : tensor<8x64x50xi1>
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x64x50xf32>
  %s = linalg.generic {indexing_maps = [#id3, #id3, #id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %scale, %m, %true : tensor<8x64x50xf32>, tensor<8x64x50xf32>, tensor<8x64x50xi1>, tensor<8x64x50xi1>) outs(%e : tensor<8x64x50xf32>) {
  ^bb0(%in: f32, %by: f32, %mask: i1, %yes: i1, %out: f32):
    %o = arith.mulf %in, %by : f32
    %is = arith.xori %mask, %yes : i1
    %half = arith.constant 0.5 : f32
    %low = arith.mulf %o, %half : f32
    %t = arith.select %is, %o, %low : f32
    linalg.yield %t : f32
  } -> tensor<8x64x50xf32>
  %e1 = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%least : f32) outs(%e1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %max = linalg.generic {indexing_maps = [#id3, #red3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<8x64x50xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = tensor.from_elements %in : tensor<f32>
    %b = tensor.from_elements %out : tensor<f32>
    %c = tensor.extract %b[] : tensor<f32>
    %d = tensor.extract %a[] : tensor<f32>
    %g = arith.maximumf %c, %d : f32
    %h = tensor.from_elements %g : tensor<f32>
    %i = tensor.extract %h[] : tensor<f32>
    linalg.yield %i : f32
  } -> tensor<8x64xf32>
  %exp = linalg.generic {indexing_maps = [#id3, #red3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %max : tensor<8x64x50xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64x50xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %d = arith.subf %in, %most : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x64x50xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #red3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<8x64x50xf32>) outs(%z : tensor<8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = tensor.from_elements %in : tensor<1xf32>
    %first = arith.constant 0 : index
    %c = tensor.extract %a[%first] : tensor<1xf32>
    %g = arith.addf %out, %c : f32
    linalg.yield %g : f32
  } -> tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [#id3, #red3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x64x50xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64x50xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %q = arith.divf %in, %by : f32
    linalg.yield %q : f32
  } -> tensor<8x64x50xf32>
  return %r : tensor<8x64x50xf32>
}

// JAX's causal attention: one row of numbers is compared with itself, as a column.
// CHECK-DAG: attention 4x32x32x16 f32
func.func @causal(%q: tensor<4x32x16xf32>, %k: tensor<4x16x32xf32>, %v: tensor<4x32x16xf32>) -> tensor<4x32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %hidden = arith.constant -1.0e30 : f32
  %er = tensor.empty() : tensor<32xi32>
  %row = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%er : tensor<32xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<32xi32>
  %en = tensor.empty() : tensor<1x32xi32>
  %line = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<32xi32>) outs(%en : tensor<1x32xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x32xi32>
  %ec = tensor.empty() : tensor<1x32x1xi32>
  %column = linalg.generic {indexing_maps = [#red3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%line : tensor<1x32xi32>) outs(%ec : tensor<1x32x1xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x32x1xi32>
  %el = tensor.empty() : tensor<1x1x32xi32>
  %flat = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%line : tensor<1x32xi32>) outs(%el : tensor<1x1x32xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x1x32xi32>
  %em = tensor.empty() : tensor<1x32x32xi32>
  %rows = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%column : tensor<1x32x1xi32>) outs(%em : tensor<1x32x32xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x32x32xi32>
  %columns = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%flat : tensor<1x1x32xi32>) outs(%em : tensor<1x32x32xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x32x32xi32>
  %eb = tensor.empty() : tensor<1x32x32xi1>
  %compared = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows, %columns : tensor<1x32x32xi32>, tensor<1x32x32xi32>) outs(%eb : tensor<1x32x32xi1>) {
  ^bb0(%a: i32, %b: i32, %out: i1):
    %c = arith.cmpi sge, %a, %b : i32
    linalg.yield %c : i1
  } -> tensor<1x32x32xi1>
  %mask = tensor.collapse_shape %compared [[0, 1], [2]] : tensor<1x32x32xi1> into tensor<32x32xi1>
  %ef = tensor.empty() : tensor<32x32xf32>
  %as_float = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%mask : tensor<32x32xi1>) outs(%ef : tensor<32x32xf32>) {
  ^bb0(%in: i1, %out: f32):
    %f = arith.uitofp %in : i1 to f32
    linalg.yield %f : f32
  } -> tensor<32x32xf32>
  %es = tensor.empty() : tensor<4x32x32xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x32x16xf32>, tensor<4x16x32xf32>) outs(%fs : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%as_float, %s : tensor<32x32xf32>, tensor<4x32x32xf32>) outs(%es : tensor<4x32x32xf32>) {
  ^bb0(%m: f32, %in: f32, %out: f32):
    %is = arith.cmpf une, %m, %zero : f32
    %r = arith.select %is, %in, %hidden : f32
    linalg.yield %r : f32
  } -> tensor<4x32x32xf32>
  %e1 = tensor.empty() : tensor<4x32xf32>
  %f1 = linalg.fill ins(%least : f32) outs(%e1 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %max = linalg.generic {indexing_maps = [#id3, #red3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<4x32x32xf32>) outs(%f1 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<4x32xf32>
  %exp = linalg.generic {indexing_maps = [#id3, #red3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<4x32x32xf32>, tensor<4x32xf32>) outs(%es : tensor<4x32x32xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %d = arith.subf %in, %most : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #red3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<4x32x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<4x32xf32>
  %w = linalg.generic {indexing_maps = [#id3, #red3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<4x32x32xf32>, tensor<4x32xf32>) outs(%es : tensor<4x32x32xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %r = arith.divf %in, %by : f32
    linalg.yield %r : f32
  } -> tensor<4x32x32xf32>
  %eo = tensor.empty() : tensor<4x32x16xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<4x32x32xf32>, tensor<4x32x16xf32>) outs(%fo : tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  return %o : tensor<4x32x16xf32>
}

// What moves a row of numbers numbers its own: no op of one loop is left, and none reads another one twice.
// IR-LABEL: func.func @numbered(
// IR-NOT: tensor<64xi32>
func.func @numbered(%x: tensor<1x64x64xi32>) -> tensor<1x64x64xi32> {
  %er = tensor.empty() : tensor<64xi32>
  %row = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%er : tensor<64xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<64xi32>
  %en = tensor.empty() : tensor<1x64xi32>
  %line = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<64xi32>) outs(%en : tensor<1x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x64xi32>
  %ec = tensor.empty() : tensor<1x64x1xi32>
  %column = linalg.generic {indexing_maps = [#red3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%line : tensor<1x64xi32>) outs(%ec : tensor<1x64x1xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x64x1xi32>
  %em = tensor.empty() : tensor<1x64x64xi32>
  %rows = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%column : tensor<1x64x1xi32>) outs(%em : tensor<1x64x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x64x64xi32>
  %columns = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%line : tensor<1x64xi32>) outs(%em : tensor<1x64x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x64x64xi32>
  %r = linalg.generic {indexing_maps = [#id3, #id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows, %columns, %x : tensor<1x64x64xi32>, tensor<1x64x64xi32>, tensor<1x64x64xi32>) outs(%em : tensor<1x64x64xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32, %out: i32):
    %d = arith.muli %a, %c : i32
    %e = arith.subi %d, %b : i32
    linalg.yield %e : i32
  } -> tensor<1x64x64xi32>
  return %r : tensor<1x64x64xi32>
}
