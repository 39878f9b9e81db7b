// Whole payloads for rules_test.c, which reads the comments at their heads.
// -----
// case: softmax
// quick
// rule: reduction
// reduction: 128
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<20x128xf32>) -> tensor<20x128xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<20xf32>
  %e2 = tensor.empty() : tensor<20x128xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x128xf32>) outs(%m0 : tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<20x128xf32>, tensor<20xf32>) outs(%e2 : tensor<20x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x128xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<20x128xf32>) outs(%s0 : tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<20x128xf32>, tensor<20xf32>) outs(%e2 : tensor<20x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20x128xf32>
  return %r : tensor<20x128xf32>
}
// -----
// case: softmax named
// quick
// rule: $R
// reduction: $N
// with: B=4 M=13 N=50 T=f32 R=reduction
// with: B=4 M=13 N=50 T=f64 R=any
// with: B=4 M=13 N=50 T=f16 R=any
// with: B=4 M=13 N=50 T=bf16 R=any
// with: B=1 M=1 N=50 T=f32 R=any
// with: B=2 M=2 N=2 T=f32 R=any
// with: B=1 M=3 N=3 T=f32 R=any
// with: B=4 M=13 N=1 T=f32 R=any
// with: B=1 M=20 N=2 T=f64 R=any
// with: B=4 M=0 N=8 T=f32 R=any
// with: B=0 M=3 N=8 T=f32 R=any
// with: B=2 M=3 N=0 T=f32 R=any
func.func @f(%x: tensor<$Bx$Mx$Nx$T>) -> tensor<$Bx$Mx$Nx$T> {
  %e = tensor.empty() : tensor<$Bx$Mx$Nx$T>
  %r = linalg.softmax dimension(2) ins(%x : tensor<$Bx$Mx$Nx$T>) outs(%e : tensor<$Bx$Mx$Nx$T>)
      -> tensor<$Bx$Mx$Nx$T>
  return %r : tensor<$Bx$Mx$Nx$T>
}
// -----
// case: softmax past the caches
// quick
// rule: reduction
// reduction: 2048
func.func @f(%x: tensor<600x2048xf32>) -> tensor<600x2048xf32> {
  %e = tensor.empty() : tensor<600x2048xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<600x2048xf32>) outs(%e : tensor<600x2048xf32>)
      -> tensor<600x2048xf32>
  return %r : tensor<600x2048xf32>
}
// -----
// case: softmax of long rows
// quick
// rule: reduction
// reduction: 65536
// with: M=3 N=32768
// with: M=1 N=65536
// with: M=5 N=48000
// with: M=2 N=32769
func.func @f(%x: tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32> {
  %e = tensor.empty() : tensor<$Mx$Nxf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<$Mx$Nxf32>) outs(%e : tensor<$Mx$Nxf32>)
      -> tensor<$Mx$Nxf32>
  return %r : tensor<$Mx$Nxf32>
}
// -----
// case: softmax of long rows, of others' maximum
// rule: reduction
// reduction: 65536
func.func @f(%x: tensor<3x32768xf32>, %y: tensor<3x32768xf32>) -> tensor<3x32768xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %r = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<3x32768xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x32768xf32>) outs(%m0 : tensor<3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.maximumf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y, %m : tensor<3x32768xf32>, tensor<3xf32>) outs(%e : tensor<3x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<3x32768xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%g : tensor<3x32768xf32>) outs(%s0 : tensor<3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%g, %s : tensor<3x32768xf32>, tensor<3xf32>) outs(%e : tensor<3x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<3x32768xf32>
  return %q : tensor<3x32768xf32>
}
// -----
// case: softmax of one long row
// quick
// rule: reduction
// reduction: 65536
func.func @f(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %e = tensor.empty() : tensor<65536xf32>
  %r = linalg.softmax dimension(0) ins(%x : tensor<65536xf32>) outs(%e : tensor<65536xf32>)
      -> tensor<65536xf32>
  return %r : tensor<65536xf32>
}
// -----
// case: softmax named, short
// rule: reduction
// reduction: 7
func.func @f(%x: tensor<13x7xf32>) -> tensor<13x7xf32> {
  %e = tensor.empty() : tensor<13x7xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<13x7xf32>) outs(%e : tensor<13x7xf32>)
      -> tensor<13x7xf32>
  return %r : tensor<13x7xf32>
}
// -----
// case: softmax named, across
// reduction: 20
func.func @f(%x: tensor<4x20x32xf32>) -> tensor<4x20x32xf32> {
  %e = tensor.empty() : tensor<4x20x32xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x20x32xf32>) outs(%e : tensor<4x20x32xf32>)
      -> tensor<4x20x32xf32>
  return %r : tensor<4x20x32xf32>
}
// -----
// case: layer norm
// quick
// rule: $R
// reduction: 256
// with: M=20 N=128 T=f32 R=reduction
// with: M=20 N=128 T=f64 R=any
// with: M=20 N=128 T=bf16 R=any
// with: M=1 N=128 T=f32 R=any
// with: M=2 N=128 T=f32 R=any
// with: M=3 N=128 T=f32 R=any
// with: M=5 N=1 T=f32 R=any
// with: M=5 N=2 T=f32 R=any
// with: M=5 N=3 T=f32 R=any
// with: M=3 N=257 T=f32 R=any
// with: M=0 N=16 T=f32 R=any
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
func.func @f(%x: tensor<$Mx$Nx$T>, %g: tensor<$Nx$T>, %h: tensor<$Nx$T>) -> tensor<$Mx$Nx$T> {
  %zero = arith.constant 0.0 : $T
  %count = arith.constant $N.0 : $T
  %tiny = arith.constant 1.0e-5 : $T
  %e1 = tensor.empty() : tensor<$Mx$T>
  %e2 = tensor.empty() : tensor<$Mx$Nx$T>
  %z = linalg.fill ins(%zero : $T) outs(%e1 : tensor<$Mx$T>) -> tensor<$Mx$T>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Mx$Nx$T>) outs(%z : tensor<$Mx$T>) {
  ^bb0(%a: $T, %b: $T):
    %0 = arith.addf %a, %b : $T
    linalg.yield %0 : $T
  } -> tensor<$Mx$T>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<$Mx$Nx$T>, tensor<$Mx$T>) outs(%e2 : tensor<$Mx$Nx$T>) {
  ^bb0(%a: $T, %b: $T, %c: $T):
    %0 = arith.divf %b, %count : $T
    %1 = arith.subf %a, %0 : $T
    linalg.yield %1 : $T
  } -> tensor<$Mx$Nx$T>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<$Mx$Nx$T>) outs(%z : tensor<$Mx$T>) {
  ^bb0(%a: $T, %b: $T):
    %0 = arith.mulf %a, %a : $T
    %1 = arith.addf %0, %b : $T
    linalg.yield %1 : $T
  } -> tensor<$Mx$T>
  %r = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %v, %g, %h : tensor<$Mx$Nx$T>, tensor<$Mx$T>, tensor<$Nx$T>, tensor<$Nx$T>)
      outs(%e2 : tensor<$Mx$Nx$T>) {
  ^bb0(%a: $T, %b: $T, %p: $T, %q: $T, %c: $T):
    %0 = arith.divf %b, %count : $T
    %1 = arith.addf %0, %tiny : $T
    %2 = math.rsqrt %1 : $T
    %3 = arith.mulf %a, %2 : $T
    %4 = arith.mulf %3, %p : $T
    %5 = arith.addf %4, %q : $T
    linalg.yield %5 : $T
  } -> tensor<$Mx$Nx$T>
  return %r : tensor<$Mx$Nx$T>
}
// -----
// case: layer norm of short rows in two dimensions
// quick
// reduction: 96
#id = affine_map<(l, m, n) -> (l, m, n)>
#row = affine_map<(l, m, n) -> (l, m)>
#col = affine_map<(l, m, n) -> (n)>
func.func @f(%x: tensor<3x5x48xf32>, %g: tensor<48xf32>, %h: tensor<48xf32>) -> tensor<3x5x48xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<3x5xf32>
  %e2 = tensor.empty() : tensor<3x5x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<3x5x48xf32>) outs(%z : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x5xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<3x5x48xf32>, tensor<3x5xf32>) outs(%e2 : tensor<3x5x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x5x48xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d : tensor<3x5x48xf32>) outs(%z : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d, %v, %g, %h : tensor<3x5x48xf32>, tensor<3x5xf32>, tensor<48xf32>, tensor<48xf32>)
      outs(%e2 : tensor<3x5x48xf32>) {
  ^bb0(%a: f32, %b: f32, %p: f32, %q: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.addf %0, %tiny : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %p : f32
    %5 = arith.addf %4, %q : f32
    linalg.yield %5 : f32
  } -> tensor<3x5x48xf32>
  return %r : tensor<3x5x48xf32>
}
// -----
// case: layer norm of rows not known
// reduction: 384
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
func.func @f(%x: tensor<?x192xf32>, %g: tensor<192xf32>, %h: tensor<192xf32>) -> tensor<?x192xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 192.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %zeroth = arith.constant 0 : index
  %rows = tensor.dim %x, %zeroth : tensor<?x192xf32>
  %e1 = tensor.empty(%rows) : tensor<?xf32>
  %e2 = tensor.empty(%rows) : tensor<?x192xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x192xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x192xf32>, tensor<?xf32>) outs(%e2 : tensor<?x192xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x192xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<?x192xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %v, %g, %h : tensor<?x192xf32>, tensor<?xf32>, tensor<192xf32>, tensor<192xf32>)
      outs(%e2 : tensor<?x192xf32>) {
  ^bb0(%a: f32, %b: f32, %p: f32, %q: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.addf %0, %tiny : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %p : f32
    %5 = arith.addf %4, %q : f32
    linalg.yield %5 : f32
  } -> tensor<?x192xf32>
  return %r : tensor<?x192xf32>
}
// -----
// case: layer norm in f64, odd
// reduction: 154
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<13x77xf32>) -> tensor<13x77xf32> {
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  %count = arith.constant 77.0 : f64
  %count32 = arith.constant 77.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<13xf32>
  %e3 = tensor.empty() : tensor<13xf64>
  %e2 = tensor.empty() : tensor<13x77xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<13xf32>) -> tensor<13xf32>
  %z64 = linalg.fill ins(%zero64 : f64) outs(%e3 : tensor<13xf64>) -> tensor<13xf64>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<13x77xf32>) outs(%z : tensor<13xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<13xf32>
  %v = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<13x77xf32>, tensor<13xf32>) outs(%z64 : tensor<13xf64>) {
  ^bb0(%a: f32, %c: f32, %b: f64):
    %0 = arith.extf %a : f32 to f64
    %1 = arith.extf %c : f32 to f64
    %2 = arith.divf %1, %count : f64
    %3 = arith.subf %0, %2 : f64
    %4 = arith.mulf %3, %3 : f64
    %5 = arith.addf %4, %b : f64
    linalg.yield %5 : f64
  } -> tensor<13xf64>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %v : tensor<13x77xf32>, tensor<13xf32>, tensor<13xf64>) outs(%e2 : tensor<13x77xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f64, %c: f32):
    %0 = arith.divf %b, %count : f64
    %1 = arith.truncf %0 : f64 to f32
    %2 = arith.addf %1, %tiny : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.divf %m, %count32 : f32
    %5 = arith.subf %a, %4 : f32
    %6 = arith.mulf %5, %3 : f32
    linalg.yield %6 : f32
  } -> tensor<13x77xf32>
  return %r : tensor<13x77xf32>
}
// -----
// case: rms norm of one row
// reduction: 512
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#one = affine_map<(m, n) -> (m, 0)>
#col = affine_map<(m, n) -> (n)>
func.func @f(%x: tensor<1x512xf32>, %g: tensor<512xf32>) -> tensor<1x512xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 512.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<1xf32>
  %e2 = tensor.empty() : tensor<1x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1x512xf32>) outs(%z : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<1xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<1x512xf32>, tensor<1xf32>, tensor<512xf32>) outs(%e2 : tensor<1x512xf32>) {
  ^bb0(%a: f32, %b: f32, %p: f32, %c: f32):
    %0 = arith.divf %b, %count : f32
    %1 = arith.addf %0, %tiny : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %p : f32
    linalg.yield %4 : f32
  } -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}
// -----
// case: argmax
// quick
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<13x64xf32>) -> (tensor<13xf32>, tensor<13xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e1 = tensor.empty() : tensor<13xf32>
  %e2 = tensor.empty() : tensor<13xi64>
  %m0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<13xf32>) -> tensor<13xf32>
  %i0 = linalg.fill ins(%zero : i64) outs(%e2 : tensor<13xi64>) -> tensor<13xi64>
  %m:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<13x64xf32>) outs(%m0, %i0 : tensor<13xf32>, tensor<13xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpf ogt, %a, %b : f32
    %3 = arith.select %2, %a, %b : f32
    %4 = arith.select %2, %1, %i : i64
    linalg.yield %3, %4 : f32, i64
  } -> (tensor<13xf32>, tensor<13xi64>)
  return %m#0, %m#1 : tensor<13xf32>, tensor<13xi64>
}
// -----
// case: sum and max at once
// reduction: 128
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<20x128xf32>) -> (tensor<20xf32>, tensor<20xf32>) {
  %low = arith.constant -1.0e30 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<20xf32>
  %e2 = tensor.empty() : tensor<20xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<20xf32>) -> tensor<20xf32>
  %m:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x128xf32>) outs(%m0, %i0 : tensor<20xf32>, tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.maximumf %a, %b : f32
    %1 = arith.addf %a, %c : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<20xf32>, tensor<20xf32>)
  return %m#0, %m#1 : tensor<20xf32>, tensor<20xf32>
}
// -----
// case: two elementwise results
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<20x33xf32>) -> (tensor<20x33xf32>, tensor<20x33xf32>) {
  %e1 = tensor.empty() : tensor<20x33xf32>
  %m:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20x33xf32>) outs(%e1, %e1 : tensor<20x33xf32>, tensor<20x33xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %a, %a : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<20x33xf32>, tensor<20x33xf32>)
  return %m#0, %m#1 : tensor<20x33xf32>, tensor<20x33xf32>
}
// -----
// case: gather
// quick
// indices: 50
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%t: tensor<50x64xf32>, %i: tensor<12xi64>) -> tensor<12x64xf32> {
  %e = tensor.empty() : tensor<12x64xf32>
  %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<12xi64>) outs(%e : tensor<12x64xf32>) {
  ^bb0(%a: i64, %b: f32):
    %0 = arith.index_cast %a : i64 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %t[%0, %1] : tensor<50x64xf32>
    linalg.yield %2 : f32
  } -> tensor<12x64xf32>
  return %r : tensor<12x64xf32>
}
// -----
// case: causal mask
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<20x20xf32>) -> tensor<20x20xf32> {
  %e = tensor.empty() : tensor<20x20xf32>
  %low = arith.constant -1.0e30 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20x20xf32>) outs(%e : tensor<20x20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %2 = arith.cmpi ult, %0, %1 : index
    %3 = arith.select %2, %low, %a : f32
    linalg.yield %3 : f32
  } -> tensor<20x20xf32>
  return %r : tensor<20x20xf32>
}
// -----
// case: padded convolution
// reduction: 144
func.func @f(%x: tensor<1x8x8x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<1x8x8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x16xf32> to tensor<1x10x10x16xf32>
  %e = tensor.empty() : tensor<1x8x8x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x10x10x16xf32>, tensor<3x3x16x32xf32>) outs(%z : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %r : tensor<1x8x8x32xf32>
}
// -----
// case: padded convolution, channels first, bias and relu
// quick
// reduction: 144
// with: T=f32
// with: T=f64
// with: T=f16
// with: T=bf16
#id = affine_map<(n, f, h, w) -> (n, f, h, w)>
#f = affine_map<(n, f, h, w) -> (f)>
func.func @f(%x: tensor<1x16x14x14x$T>, %w: tensor<24x16x3x3x$T>, %b: tensor<24x$T>) -> tensor<1x24x7x7x$T> {
  %zero = arith.constant 0.0 : $T
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b1: index, %c: index, %d: index):
    tensor.yield %zero : $T
  } : tensor<1x16x14x14x$T> to tensor<1x16x16x16x$T>
  %e = tensor.empty() : tensor<1x24x7x7x$T>
  %z = linalg.generic {indexing_maps = [#f, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<24x$T>) outs(%e : tensor<1x24x7x7x$T>) {
  ^bb0(%a: $T, %o: $T):
    linalg.yield %a : $T
  } -> tensor<1x24x7x7x$T>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x16x16x16x$T>, tensor<24x16x3x3x$T>) outs(%z : tensor<1x24x7x7x$T>) -> tensor<1x24x7x7x$T>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<1x24x7x7x$T>) outs(%e : tensor<1x24x7x7x$T>) {
  ^bb0(%a: $T, %o: $T):
    %m = arith.maximumf %a, %zero : $T
    linalg.yield %m : $T
  } -> tensor<1x24x7x7x$T>
  return %q : tensor<1x24x7x7x$T>
}
// -----
// case: padded max pooling
func.func @f(%x: tensor<1x8x14x14xf32>) -> tensor<1x8x7x7xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b1: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x8x14x14xf32> to tensor<1x8x16x16xf32>
  %e = tensor.empty() : tensor<1x8x7x7xf32>
  %z = linalg.fill ins(%low : f32) outs(%e : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %k : tensor<1x8x16x16xf32>, tensor<3x3xf32>) outs(%z : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  return %r : tensor<1x8x7x7xf32>
}
// -----
// case: named matmul, dynamic rows
// quick
// rule: contraction
// reduction: 784
// dynamic: 37
func.func @f(%x: tensor<?x784xf32>, %w: tensor<784x512xf32>, %b: tensor<512xf32>) -> tensor<?x512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x784xf32>
  %e = tensor.empty(%d) : tensor<?x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x784xf32>, tensor<784x512xf32>) outs(%z : tensor<?x512xf32>) -> tensor<?x512xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%r, %b : tensor<?x512xf32>, tensor<512xf32>) outs(%e : tensor<?x512xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    %2 = arith.maximumf %1, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<?x512xf32>
  return %q : tensor<?x512xf32>
}
// -----
// case: named matmul, dynamic rows, an odd depth that 3 divides
// rule: contraction
// reduction: 27
// dynamic: 13
func.func @f(%x: tensor<?x27xf32>, %w: tensor<27x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x27xf32>
  %e = tensor.empty(%rows) : tensor<?x64xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x27xf32>, tensor<27x64xf32>)
      outs(%s : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
// -----
// case: named matmul, transposed weights, dynamic rows
// rule: contraction
// reduction: 784
// dynamic: 5
func.func @f(%x: tensor<?x784xf32>, %w: tensor<512x784xf32>) -> tensor<?x512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x784xf32>
  %t0 = tensor.empty() : tensor<784x512xf32>
  %t = linalg.transpose ins(%w : tensor<512x784xf32>) outs(%t0 : tensor<784x512xf32>) permutation = [1, 0]
  %e = tensor.empty(%d) : tensor<?x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.matmul ins(%x, %t : tensor<?x784xf32>, tensor<784x512xf32>) outs(%z : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}
// -----
// case: named matmul, transposed weights, dynamic rows, gelu
// rule: contraction
// reduction: 96
// dynamic: 13
func.func @f(%x: tensor<?x96xf32>, %w: tensor<64x96xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 1.41421354 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x96xf32>
  %t0 = tensor.empty() : tensor<96x64xf32>
  %t = linalg.transpose ins(%w : tensor<64x96xf32>) outs(%t0 : tensor<96x64xf32>) permutation = [1, 0]
  %e = tensor.empty(%d) : tensor<?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%x, %t : tensor<?x96xf32>, tensor<96x64xf32>) outs(%z : tensor<?x64xf32>) -> tensor<?x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%r, %b : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    %2 = arith.divf %1, %root : f32
    %3 = math.erf %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.mulf %4, %half : f32
    %6 = arith.mulf %1, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<?x64xf32>
  return %q : tensor<?x64xf32>
}
// -----
// case: named matmul, started with the bias, dynamic rows
// rule: contraction
// reduction: 96
// dynamic: 13
func.func @f(%x: tensor<?x96xf32>, %w: tensor<64x96xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x96xf32>
  %t0 = tensor.empty() : tensor<96x64xf32>
  %t = linalg.transpose ins(%w : tensor<64x96xf32>) outs(%t0 : tensor<96x64xf32>) permutation = [1, 0]
  %e = tensor.empty(%d) : tensor<?x64xf32>
  %s = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<?x64xf32>) dimensions = [0]
  %r = linalg.matmul ins(%x, %t : tensor<?x96xf32>, tensor<96x64xf32>) outs(%s : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
// -----
// case: named matmul, all dynamic
// reduction: 19
// dynamic: 19
func.func @f(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// -----
// case: dynamic softmax
// rule: reduction
// reduction: 128
// dynamic: 7
func.func @f(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = tensor.empty(%d) : tensor<?x128xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
// -----
// case: dynamic row sums
// quick
// rule: reduction
// reduction: 131
// dynamic: 7
func.func @f(%x: tensor<?x131xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x131xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce ins(%x : tensor<?x131xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  return %r : tensor<?xf32>
}
// -----
// case: mean of all
// rule: reduction
// reduction: 30000
func.func @f(%x: tensor<100x300xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 30000.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%x : tensor<100x300xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                       iterator_types = []} ins(%s : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.divf %a, %n : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
// -----
// case: norm over two dimensions
// quick
// rule: reduction
// reduction: 273
#all = affine_map<(b, s, h) -> (b, s, h)>
#one = affine_map<(b, s, h) -> (b)>
func.func @f(%x: tensor<5x13x21xf32>) -> tensor<5x13x21xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<5xf32>
  %e3 = tensor.empty() : tensor<5x13x21xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [#all, #one],
                       iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<5x13x21xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %b, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [#all, #one, #all],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<5x13x21xf32>, tensor<5xf32>) outs(%e3 : tensor<5x13x21xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.sqrt %b : f32
    %1 = arith.divf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x13x21xf32>
  return %r : tensor<5x13x21xf32>
}
// -----
// case: largest by comparison
// rule: general
// reduction: 1
func.func @f(%x: tensor<20x64xf32>) -> tensor<20xf32> {
  %low = arith.constant -1.0e+30 : f32
  %e = tensor.empty() : tensor<20xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %r = linalg.reduce ins(%x : tensor<20x64xf32>) outs(%f : tensor<20xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %0 = arith.cmpf ogt, %a, %b : f32
      %1 = arith.select %0, %a, %b : f32
      linalg.yield %1 : f32
    }
  return %r : tensor<20xf32>
}
// -----
// case: pack and unpack
// quick
func.func @f(%x: tensor<30x40xf32>) -> tensor<30x40xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<4x3x8x16xf32>
  %p = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 16]
      into %d : tensor<30x40xf32> -> tensor<4x3x8x16xf32>
  %o = tensor.empty() : tensor<30x40xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [8, 16]
      into %o : tensor<4x3x8x16xf32> -> tensor<30x40xf32>
  return %u : tensor<30x40xf32>
}
// -----
// case: dynamic add past the caches, in place
// dynamic: 1100
#dynamic_id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<?x1024xf32>, %y: tensor<?x1024xf32> {bufferization.writable = true}) -> tensor<?x1024xf32> {
  %r = linalg.generic {indexing_maps = [#dynamic_id, #dynamic_id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1024xf32>) outs(%y : tensor<?x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x1024xf32>
  return %r : tensor<?x1024xf32>
}
// -----
// case: dynamic exp
// quick
// rule: elementwise
// dynamic: 7
func.func @f(%x: tensor<?x131xf32>) -> tensor<?x131xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x131xf32>
  %e = tensor.empty(%d) : tensor<?x131xf32>
  %r = linalg.exp ins(%x : tensor<?x131xf32>) outs(%e : tensor<?x131xf32>) -> tensor<?x131xf32>
  return %r : tensor<?x131xf32>
}
// -----
// case: dynamic add of rows
// rule: elementwise
// dynamic: 77
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                                        affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// -----
// case: dynamic transpose
// rule: general
// dynamic: 35
func.func @f(%x: tensor<?x48xf32>) -> tensor<48x?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x48xf32>
  %e = tensor.empty(%d) : tensor<48x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x48xf32>) outs(%e : tensor<48x?xf32>) permutation = [1, 0]
  return %r : tensor<48x?xf32>
}
// -----
// case: dynamic add
// dynamic: 100
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// -----
// case: dynamic rows of none
// reduction: 16
// dynamic: 0
func.func @f(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%d) : tensor<?x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x32xf32>) outs(%z : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
// -----
// case: named matmul of mixed precision
// reduction: 64
func.func @f(%x: tensor<32x64xbf16>, %w: tensor<64x48xbf16>) -> tensor<32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x64xbf16>, tensor<64x48xbf16>) outs(%z : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
}
// -----
// case: matmul of mixed precision, rounded at the end
// reduction: 64
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<32x64xbf16>, %w: tensor<64x48xbf16>) -> tensor<32x48xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %e2 = tensor.empty() : tensor<32x48xbf16>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x64xbf16>, tensor<64x48xbf16>) outs(%z : tensor<32x48xf32>) -> tensor<32x48xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<32x48xf32>) outs(%e2 : tensor<32x48xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<32x48xbf16>
  return %q : tensor<32x48xbf16>
}
// -----
// case: product and its epilogue both returned
// reduction: 64
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> (tensor<32x48xf32>, tensor<32x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%z : tensor<32x48xf32>) -> tensor<32x48xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<32x48xf32>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<32x48xf32>
  return %r, %q : tensor<32x48xf32>, tensor<32x48xf32>
}
// -----
// case: sum and what follows both returned
// reduction: 128
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<20x128xf32>) -> (tensor<20xf32>, tensor<20x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<20xf32>
  %e2 = tensor.empty() : tensor<20x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x128xf32>) outs(%z : tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<20x128xf32>, tensor<20xf32>) outs(%e2 : tensor<20x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20x128xf32>
  return %s, %r : tensor<20xf32>, tensor<20x128xf32>
}
// -----
// case: two products in a chain
// reduction: 112
func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>, %v: tensor<48x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %r = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%z : tensor<32x48xf32>) -> tensor<32x48xf32>
  %e2 = tensor.empty() : tensor<32x32xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %q = linalg.matmul ins(%r, %v : tensor<32x48xf32>, tensor<48x32xf32>) outs(%z2 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %q : tensor<32x32xf32>
}
// -----
// case: fill alone
func.func @f(%v: f32) -> tensor<20x33xf32> {
  %e = tensor.empty() : tensor<20x33xf32>
  %z = linalg.fill ins(%v : f32) outs(%e : tensor<20x33xf32>) -> tensor<20x33xf32>
  return %z : tensor<20x33xf32>
}
// -----
// case: pad alone
func.func @f(%x: tensor<7x5xf32>) -> tensor<10x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 2] high[2, 9] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<7x5xf32> to tensor<10x16xf32>
  return %p : tensor<10x16xf32>
}
// -----
// case: chain that widens and is used twice
// reduction: 64
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<20x64xbf16>) -> tensor<20x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<20xf32>
  %e2 = tensor.empty() : tensor<20x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20x64xbf16>) outs(%e2 : tensor<20x64xf32>) {
  ^bb0(%a: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<20x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<20x64xf32>) outs(%z : tensor<20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<20xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<20x64xf32>, tensor<20xf32>) outs(%e2 : tensor<20x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x64xf32>
  return %r : tensor<20x64xf32>
}
// -----
// case: product with zero points
// rule: general
// reduction: 64
func.func @f(%a: tensor<20x64xi8>, %b: tensor<64x48xi8>) -> tensor<20x48xi32> {
  %zero = arith.constant 0 : i32
  %za = arith.constant 3 : i32
  %zb = arith.constant -5 : i32
  %e = tensor.empty() : tensor<20x48xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<20x48xi32>) -> tensor<20x48xi32>
  %r = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<20x64xi8>, tensor<64x48xi8>, i32, i32)
      outs(%f : tensor<20x48xi32>) -> tensor<20x48xi32>
  return %r : tensor<20x48xi32>
}
// -----
// case: quantized elementwise with saturation
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<20x33xi8>) -> tensor<20x33xi8> {
  %e = tensor.empty() : tensor<20x33xi8>
  %lo = arith.constant -100 : i32
  %three = arith.constant 3 : i32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20x33xi8>) outs(%e : tensor<20x33xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.muli %0, %three : i32
    %2 = arith.maxsi %1, %lo : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<20x33xi8>
  return %r : tensor<20x33xi8>
}
// -----
// case: comparison to i1
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<20x64xf32>, %y: tensor<20x64xf32>) -> tensor<20x64xi1> {
  %e = tensor.empty() : tensor<20x64xi1>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<20x64xf32>, tensor<20x64xf32>) outs(%e : tensor<20x64xi1>) {
  ^bb0(%a: f32, %b: f32, %o: i1):
    %0 = arith.cmpf olt, %a, %b : f32
    linalg.yield %0 : i1
  } -> tensor<20x64xi1>
  return %r : tensor<20x64xi1>
}
// -----
// case: selection by i1
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%m: tensor<20x33xi1>, %x: tensor<20x33xf32>, %y: tensor<20x33xf32>) -> tensor<20x33xf32> {
  %e = tensor.empty() : tensor<20x33xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %x, %y : tensor<20x33xi1>, tensor<20x33xf32>, tensor<20x33xf32>) outs(%e : tensor<20x33xf32>) {
  ^bb0(%c: i1, %a: f32, %b: f32, %o: f32):
    %0 = arith.select %c, %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<20x33xf32>
  return %r : tensor<20x33xf32>
}
// -----
// case: in place
#id = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<20x33xf32>, %y: tensor<20x33xf32>) -> tensor<20x33xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20x33xf32>) outs(%y : tensor<20x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<20x33xf32>
  return %r : tensor<20x33xf32>
}
// -----
// case: contraction written as product and sum
// reduction: 64
#ij = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (k, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
func.func @f(%x: tensor<16x64xf32>, %w: tensor<64x32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<16x32x64xf32>
  %e2 = tensor.empty() : tensor<16x32xf32>
  %p = linalg.generic {indexing_maps = [#ij, #jk, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %w : tensor<16x64xf32>, tensor<64x32xf32>) outs(%e3 : tensor<16x32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<16x32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [#id3, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p : tensor<16x32x64xf32>) outs(%z : tensor<16x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
// -----
// case: named depthwise nhwc, borders, bias, relu6
// rule: depthwise
// reduction: 9
func.func @f(%x: tensor<1x13x10x48xf32>, %k: tensor<3x3x48xf32>, %b: tensor<48xf32>) -> tensor<1x13x10x48xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x13x10x48xf32> to tensor<1x15x12x48xf32>
  %e = tensor.empty() : tensor<1x13x10x48xf32>
  %s = linalg.broadcast ins(%b : tensor<48xf32>) outs(%e : tensor<1x13x10x48xf32>) dimensions = [0, 1, 2]
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %k : tensor<1x15x12x48xf32>, tensor<3x3x48xf32>)
      outs(%s : tensor<1x13x10x48xf32>) -> tensor<1x13x10x48xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<1x13x10x48xf32>) outs(%e : tensor<1x13x10x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %zero : f32
    %2 = arith.minimumf %1, %six : f32
    linalg.yield %2 : f32
  } -> tensor<1x13x10x48xf32>
  return %q : tensor<1x13x10x48xf32>
}
// -----
// case: named depthwise nhwc, borders wider than the window on one side
// rule: depthwise
// reduction: 9
func.func @f(%x: tensor<2x6x6x32xf32>, %k: tensor<3x3x32xf32>) -> tensor<2x6x5x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 5, 1, 0] high[0, 2, 4, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x6x6x32xf32> to tensor<2x13x11x32xf32>
  %e = tensor.empty() : tensor<2x6x5x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x5x32xf32>) -> tensor<2x6x5x32xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>}
      ins(%p, %k : tensor<2x13x11x32xf32>, tensor<3x3x32xf32>)
      outs(%z : tensor<2x6x5x32xf32>) -> tensor<2x6x5x32xf32>
  return %r : tensor<2x6x5x32xf32>
}
// -----
// case: named depthwise nhwc, a batch with a stride, borders, bias and relu6
// rule: depthwise
// reduction: 9
// quick
func.func @f(%x: tensor<2x14x15x32xf32>, %k: tensor<3x3x32xf32>, %b: tensor<32xf32>) -> tensor<2x7x8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x14x15x32xf32> to tensor<2x15x17x32xf32>
  %e = tensor.empty() : tensor<2x7x8x32xf32>
  %s = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<2x7x8x32xf32>) dimensions = [0, 1, 2]
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>}
      ins(%p, %k : tensor<2x15x17x32xf32>, tensor<3x3x32xf32>)
      outs(%s : tensor<2x7x8x32xf32>) -> tensor<2x7x8x32xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<2x7x8x32xf32>) outs(%e : tensor<2x7x8x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %zero : f32
    %2 = arith.minimumf %1, %six : f32
    linalg.yield %2 : f32
  } -> tensor<2x7x8x32xf32>
  return %q : tensor<2x7x8x32xf32>
}
// -----
// case: named depthwise nhwc, 5x5 windows dilated, borders that are not zero
// rule: depthwise
// reduction: 25
func.func @f(%x: tensor<1x17x11x16xf32>, %k: tensor<5x5x16xf32>) -> tensor<1x17x11x16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 4, 4, 0] high[0, 4, 4, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %one : f32
  } : tensor<1x17x11x16xf32> to tensor<1x25x19x16xf32>
  %e = tensor.empty() : tensor<1x17x11x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x17x11x16xf32>) -> tensor<1x17x11x16xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<2> : tensor<2xi64>}
      ins(%p, %k : tensor<1x25x19x16xf32>, tensor<5x5x16xf32>)
      outs(%z : tensor<1x17x11x16xf32>) -> tensor<1x17x11x16xf32>
  return %r : tensor<1x17x11x16xf32>
}
// -----
// case: named depthwise nhwc, bf16 in a 7x7 plane with borders
// rule: depthwise
// reduction: 9
func.func @f(%x: tensor<1x7x7x64xbf16>, %k: tensor<3x3x64xbf16>) -> tensor<1x7x7x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : bf16
  } : tensor<1x7x7x64xbf16> to tensor<1x9x9x64xbf16>
  %e = tensor.empty() : tensor<1x7x7x64xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<1x7x7x64xbf16>) -> tensor<1x7x7x64xbf16>
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %k : tensor<1x9x9x64xbf16>, tensor<3x3x64xbf16>)
      outs(%z : tensor<1x7x7x64xbf16>) -> tensor<1x7x7x64xbf16>
  return %r : tensor<1x7x7x64xbf16>
}
// -----
// case: named depthwise nchw, borders
// rule: depthwise
// reduction: 9
// quick
func.func @f(%x: tensor<1x5x12x32xf32>, %k: tensor<5x3x3xf32>) -> tensor<1x5x12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<1x5x12x32xf32> to tensor<1x5x14x34xf32>
  %e = tensor.empty() : tensor<1x5x12x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x12x32xf32>) -> tensor<1x5x12x32xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%p, %k : tensor<1x5x14x34xf32>, tensor<5x3x3xf32>)
      outs(%z : tensor<1x5x12x32xf32>) -> tensor<1x5x12x32xf32>
  return %r : tensor<1x5x12x32xf32>
}
// -----
// case: attention
// quick
// rule: attention
// reduction: 160
func.func @f(%q: tensor<3x32x16xf32>, %k: tensor<3x48x16xf32>, %v: tensor<3x48x32xf32>, %m: tensor<48xf32>)
    -> tensor<3x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %low = arith.constant 0xFF800000 : f32
  %v1 = tensor.empty() : tensor<3x32x48xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%v1 : tensor<3x32x48xf32>) -> tensor<3x32x48xf32>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j, w) -> (h, i, w)>, affine_map<(h, i, j, w) -> (h, j, w)>, affine_map<(h, i, j, w) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x32x16xf32>, tensor<3x48x16xf32>) outs(%v2 : tensor<3x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x32x48xf32>
  %v4 = tensor.empty() : tensor<3x32x48xf32>
  %v5 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<3x32x48xf32>) outs(%v4 : tensor<3x32x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<3x32x48xf32>
  %v6 = tensor.empty() : tensor<3x32x48xf32>
  %v7 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v5, %m : tensor<3x32x48xf32>, tensor<48xf32>) outs(%v6 : tensor<3x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x32x48xf32>
  %v8 = tensor.empty() : tensor<3x32xf32>
  %v9 = linalg.fill ins(%low : f32) outs(%v8 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %v10 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v7 : tensor<3x32x48xf32>) outs(%v9 : tensor<3x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<3x32xf32>
  %v11 = tensor.empty() : tensor<3x32x48xf32>
  %v12 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v10 : tensor<3x32x48xf32>, tensor<3x32xf32>) outs(%v11 : tensor<3x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x32x48xf32>
  %v13 = tensor.empty() : tensor<3x32xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%v13 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %v15 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v12 : tensor<3x32x48xf32>) outs(%v14 : tensor<3x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<3x32xf32>
  %v16 = tensor.empty() : tensor<3x32x48xf32>
  %v17 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v12, %v15 : tensor<3x32x48xf32>, tensor<3x32xf32>) outs(%v16 : tensor<3x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x32x48xf32>
  %v18 = tensor.empty() : tensor<3x32x32xf32>
  %v19 = linalg.fill ins(%zero : f32) outs(%v18 : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %v20 = linalg.generic {
      indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v17, %v : tensor<3x32x48xf32>, tensor<3x48x32xf32>) outs(%v19 : tensor<3x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x32x32xf32>
  return %v20 : tensor<3x32x32xf32>
}
// -----
// case: attention in place
// quick
// rule: attention
// reduction: 224
func.func @f(%q: tensor<48x2x32xf32>, %k: tensor<64x2x32xf32>, %v: tensor<64x2x64xf32>, %m: tensor<2x48x64xf32>)
    -> tensor<48x2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %low = arith.constant 0xFF800000 : f32
  %v1 = tensor.empty() : tensor<2x48x32xf32>
  %v2 = linalg.generic {
      indexing_maps = [affine_map<(h, i, w) -> (i, h, w)>, affine_map<(h, i, w) -> (h, i, w)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<48x2x32xf32>) outs(%v1 : tensor<2x48x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x48x32xf32>
  %v3 = tensor.empty() : tensor<2x32x64xf32>
  %v4 = linalg.generic {
      indexing_maps = [affine_map<(h, w, j) -> (j, h, w)>, affine_map<(h, w, j) -> (h, w, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<64x2x32xf32>) outs(%v3 : tensor<2x32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x32x64xf32>
  %v5 = tensor.empty() : tensor<2x64x64xf32>
  %v6 = linalg.generic {
      indexing_maps = [affine_map<(h, j, c) -> (j, h, c)>, affine_map<(h, j, c) -> (h, j, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v : tensor<64x2x64xf32>) outs(%v5 : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x64x64xf32>
  %v7 = tensor.empty() : tensor<2x48x64xf32>
  %v8 = linalg.fill ins(%zero : f32) outs(%v7 : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %v9 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j, w) -> (h, i, w)>, affine_map<(h, i, j, w) -> (h, w, j)>, affine_map<(h, i, j, w) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v2, %v4 : tensor<2x48x32xf32>, tensor<2x32x64xf32>) outs(%v8 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x48x64xf32>
  %v10 = tensor.empty() : tensor<2x48x64xf32>
  %v11 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v9 : tensor<2x48x64xf32>) outs(%v10 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x48x64xf32>
  %v12 = tensor.empty() : tensor<2x48x64xf32>
  %v13 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v11, %m : tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%v12 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x48x64xf32>
  %v14 = tensor.empty() : tensor<2x48xf32>
  %v15 = linalg.fill ins(%low : f32) outs(%v14 : tensor<2x48xf32>) -> tensor<2x48xf32>
  %v16 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v13 : tensor<2x48x64xf32>) outs(%v15 : tensor<2x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x48xf32>
  %v17 = tensor.empty() : tensor<2x48x64xf32>
  %v18 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v13, %v16 : tensor<2x48x64xf32>, tensor<2x48xf32>) outs(%v17 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x48x64xf32>
  %v19 = tensor.empty() : tensor<2x48xf32>
  %v20 = linalg.fill ins(%zero : f32) outs(%v19 : tensor<2x48xf32>) -> tensor<2x48xf32>
  %v21 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v18 : tensor<2x48x64xf32>) outs(%v20 : tensor<2x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x48xf32>
  %v22 = tensor.empty() : tensor<2x48x64xf32>
  %v23 = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v18, %v21 : tensor<2x48x64xf32>, tensor<2x48xf32>) outs(%v22 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x48x64xf32>
  %v24 = tensor.empty() : tensor<2x48x64xf32>
  %v25 = linalg.fill ins(%zero : f32) outs(%v24 : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %v26 = linalg.generic {
      indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (h, j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v23, %v6 : tensor<2x48x64xf32>, tensor<2x64x64xf32>) outs(%v25 : tensor<2x48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x48x64xf32>
  %v27 = tensor.empty() : tensor<48x2x64xf32>
  %v28 = linalg.generic {
      indexing_maps = [affine_map<(h, i, c) -> (h, i, c)>, affine_map<(h, i, c) -> (i, h, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v26 : tensor<2x48x64xf32>) outs(%v27 : tensor<48x2x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<48x2x64xf32>
  return %v28 : tensor<48x2x64xf32>
}
// -----
// case: attention of one head
// quick
// rule: $R
// reduction: 112
// with: I=16 J=32 C=16 T=f32 R=attention
// with: I=24 J=32 C=16 T=f32 R=any
// with: I=40 J=48 C=32 T=f32 R=any
// with: I=1 J=32 C=16 T=f32 R=any
// with: I=2 J=32 C=16 T=f32 R=any
// with: I=3 J=32 C=16 T=f32 R=any
// with: I=31 J=32 C=16 T=f32 R=any
// with: I=16 J=31 C=16 T=f32 R=any
// with: I=16 J=32 C=17 T=f32 R=any
// with: I=16 J=1 C=16 T=f32 R=any
// with: I=3 J=2 C=1 T=f32 R=any
// with: I=0 J=32 C=16 T=f32 R=any
// with: I=16 J=0 C=16 T=f32 R=any
// with: I=16 J=32 C=16 T=f64 R=any
// with: I=16 J=32 C=16 T=bf16 R=any
func.func @f(%q: tensor<$Ix$Cx$T>, %k: tensor<$Jx$Cx$T>, %v: tensor<$Jx$Cx$T>)
    -> tensor<$Ix$Cx$T> {
  %zero = arith.constant 0.0 : $T
  %v1 = tensor.empty() : tensor<$Ix$Jx$T>
  %v2 = linalg.fill ins(%zero : $T) outs(%v1 : tensor<$Ix$Jx$T>) -> tensor<$Ix$Jx$T>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(i, j, w) -> (i, w)>, affine_map<(i, j, w) -> (j, w)>, affine_map<(i, j, w) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<$Ix$Cx$T>, tensor<$Jx$Cx$T>) outs(%v2 : tensor<$Ix$Jx$T>) {
  ^bb0(%a: $T, %b: $T, %o: $T):
    %0 = arith.mulf %a, %b : $T
    %1 = arith.addf %o, %0 : $T
    linalg.yield %1 : $T
  } -> tensor<$Ix$Jx$T>
  %v4 = tensor.empty() : tensor<$Ix$Jx$T>
  %v5 = linalg.softmax dimension(1) ins(%v3 : tensor<$Ix$Jx$T>) outs(%v4 : tensor<$Ix$Jx$T>) -> tensor<$Ix$Jx$T>
  %v6 = tensor.empty() : tensor<$Ix$Cx$T>
  %v7 = linalg.fill ins(%zero : $T) outs(%v6 : tensor<$Ix$Cx$T>) -> tensor<$Ix$Cx$T>
  %v8 = linalg.generic {
      indexing_maps = [affine_map<(i, c, j) -> (i, j)>, affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (i, c)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v5, %v : tensor<$Ix$Jx$T>, tensor<$Jx$Cx$T>) outs(%v7 : tensor<$Ix$Cx$T>) {
  ^bb0(%a: $T, %b: $T, %o: $T):
    %0 = arith.mulf %a, %b : $T
    %1 = arith.addf %o, %0 : $T
    linalg.yield %1 : $T
  } -> tensor<$Ix$Cx$T>
  return %v8 : tensor<$Ix$Cx$T>
}
// -----
// case: attention, values first
// reduction: 112
func.func @f(%q: tensor<16x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x16xf32>)
    -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.empty() : tensor<16x32xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%v1 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(i, j, w) -> (i, w)>, affine_map<(i, j, w) -> (j, w)>, affine_map<(i, j, w) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<16x16xf32>, tensor<32x16xf32>) outs(%v2 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  %v4 = tensor.empty() : tensor<16x32xf32>
  %v5 = linalg.softmax dimension(1) ins(%v3 : tensor<16x32xf32>) outs(%v4 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v6 = tensor.empty() : tensor<16x16xf32>
  %v7 = linalg.fill ins(%zero : f32) outs(%v6 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %v8 = linalg.generic {
      indexing_maps = [affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (i, j)>, affine_map<(i, c, j) -> (i, c)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v, %v5 : tensor<32x16xf32>, tensor<16x32xf32>) outs(%v7 : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  return %v8 : tensor<16x16xf32>
}
// -----
// case: attention of 96 rows
// rule: attention
// reduction: 112
func.func @f(%q: tensor<96x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x16xf32>)
    -> tensor<96x16xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.empty() : tensor<96x32xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%v1 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(i, j, w) -> (i, w)>, affine_map<(i, j, w) -> (j, w)>, affine_map<(i, j, w) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<96x16xf32>, tensor<32x16xf32>) outs(%v2 : tensor<96x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<96x32xf32>
  %v4 = tensor.empty() : tensor<96x32xf32>
  %v5 = linalg.softmax dimension(1) ins(%v3 : tensor<96x32xf32>) outs(%v4 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %v6 = tensor.empty() : tensor<96x16xf32>
  %v7 = linalg.fill ins(%zero : f32) outs(%v6 : tensor<96x16xf32>) -> tensor<96x16xf32>
  %v8 = linalg.generic {
      indexing_maps = [affine_map<(i, c, j) -> (i, j)>, affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (i, c)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v5, %v : tensor<96x32xf32>, tensor<32x16xf32>) outs(%v7 : tensor<96x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<96x16xf32>
  return %v8 : tensor<96x16xf32>
}
// -----
// case: attention causal
// quick
// rule: attention
// reduction: 144
func.func @f(%q: tensor<2x2x32x48xf32>, %k: tensor<2x2x48x32xf32>, %v: tensor<2x2x32x16xf32>)
    -> tensor<2x2x32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %low = arith.constant 0xFF800000 : f32
  %never = arith.constant -1.0e+30 : f32
  %v1 = tensor.empty() : tensor<2x2x32x32xf32>
  %v2 = linalg.fill ins(%zero : f32) outs(%v1 : tensor<2x2x32x32xf32>) -> tensor<2x2x32x32xf32>
  %v3 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j, w) -> (b, h, i, w)>, affine_map<(b, h, i, j, w) -> (b, h, w, j)>, affine_map<(b, h, i, j, w) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2x32x48xf32>, tensor<2x2x48x32xf32>) outs(%v2 : tensor<2x2x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x32x32xf32>
  %v4 = tensor.empty() : tensor<2x2x32x32xf32>
  %v5 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<2x2x32x32xf32>) outs(%v4 : tensor<2x2x32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x32x32xf32>
  %v6 = tensor.empty() : tensor<2x2x32x32xf32>
  %v7 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x2x32x32xf32>) outs(%v6 : tensor<2x2x32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = linalg.index 2 : index
    %1 = linalg.index 3 : index
    %2 = arith.cmpi sge, %0, %1 : index
    %3 = arith.select %2, %a, %never : f32
    linalg.yield %3 : f32
  } -> tensor<2x2x32x32xf32>
  %v8 = tensor.empty() : tensor<2x2x32xf32>
  %v9 = linalg.fill ins(%low : f32) outs(%v8 : tensor<2x2x32xf32>) -> tensor<2x2x32xf32>
  %v10 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v7 : tensor<2x2x32x32xf32>) outs(%v9 : tensor<2x2x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x32xf32>
  %v11 = tensor.empty() : tensor<2x2x32x32xf32>
  %v12 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v7, %v10 : tensor<2x2x32x32xf32>, tensor<2x2x32xf32>) outs(%v11 : tensor<2x2x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x32x32xf32>
  %v13 = tensor.empty() : tensor<2x2x32xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%v13 : tensor<2x2x32xf32>) -> tensor<2x2x32xf32>
  %v15 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v12 : tensor<2x2x32x32xf32>) outs(%v14 : tensor<2x2x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x32xf32>
  %v16 = tensor.empty() : tensor<2x2x32x32xf32>
  %v17 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v12, %v15 : tensor<2x2x32x32xf32>, tensor<2x2x32xf32>) outs(%v16 : tensor<2x2x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x32x32xf32>
  %v18 = tensor.empty() : tensor<2x2x32x16xf32>
  %v19 = linalg.fill ins(%zero : f32) outs(%v18 : tensor<2x2x32x16xf32>) -> tensor<2x2x32x16xf32>
  %v20 = linalg.generic {
      indexing_maps = [affine_map<(b, h, i, c, j) -> (b, h, i, j)>, affine_map<(b, h, i, c, j) -> (b, h, j, c)>, affine_map<(b, h, i, c, j) -> (b, h, i, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%v17, %v : tensor<2x2x32x32xf32>, tensor<2x2x32x16xf32>) outs(%v19 : tensor<2x2x32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x32x16xf32>
  return %v20 : tensor<2x2x32x16xf32>
}
// -----
// case: int8 convolution with borders, back to int8
// quick
// rule: dot_contraction
// reduction: 144
#image = affine_map<(n, h, w, f, p, q, c) -> (n, h + p, w + q, c)>
#filter = affine_map<(n, h, w, f, p, q, c) -> (p, q, c, f)>
#sums = affine_map<(n, h, w, f, p, q, c) -> (n, h, w, f)>
#each = affine_map<(n, h, w, f) -> (n, h, w, f)>
#channel = affine_map<(n, h, w, f) -> (f)>
func.func @f(%x: tensor<2x7x7x16xi8>, %k: tensor<3x3x16x32xi8>, %scale: tensor<32xi32>) -> tensor<2x7x7x32xi8> {
  %border = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %shift = arith.constant 12 : i32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %l: index, %m: index):
    tensor.yield %border : i8
  } : tensor<2x7x7x16xi8> to tensor<2x9x9x16xi8>
  %e = tensor.empty() : tensor<2x7x7x32xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<2x7x7x32xi32>) -> tensor<2x7x7x32xi32>
  %s = linalg.generic {indexing_maps = [#image, #filter, #sums],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%padded, %k : tensor<2x9x9x16xi8>, tensor<3x3x16x32xi8>) outs(%z : tensor<2x7x7x32xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %wide_a = arith.extsi %a : i8 to i32
    %wide_b = arith.extsi %b : i8 to i32
    %product = arith.muli %wide_a, %wide_b : i32
    %sum = arith.addi %o, %product : i32
    linalg.yield %sum : i32
  } -> tensor<2x7x7x32xi32>
  %narrow = tensor.empty() : tensor<2x7x7x32xi8>
  %r = linalg.generic {indexing_maps = [#each, #channel, #each],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %scale : tensor<2x7x7x32xi32>, tensor<32xi32>) outs(%narrow : tensor<2x7x7x32xi8>) {
  ^bb0(%sum: i32, %by: i32, %o: i8):
    %scaled = arith.muli %sum, %by : i32
    %shifted = arith.shrsi %scaled, %shift : i32
    %above = arith.maxsi %shifted, %low : i32
    %within = arith.minsi %above, %high : i32
    %byte = arith.trunci %within : i32 to i8
    linalg.yield %byte : i8
  } -> tensor<2x7x7x32xi8>
  return %r : tensor<2x7x7x32xi8>
}
// -----
// case: borders, bias and relu
// quick
// rule: contraction
// reduction: 108
func.func @f(%x: tensor<2x5x7x12xf32>, %k: tensor<3x3x12x32xf32>, %b: tensor<32xf32>) -> tensor<2x5x7x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<2x5x7x12xf32> to tensor<2x7x9x12xf32>
  %e = tensor.empty() : tensor<2x5x7x32xf32>
  %s = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<2x5x7x32xf32>) dimensions = [0, 1, 2]
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x7x9x12xf32>, tensor<3x3x12x32xf32>) outs(%s : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<2x5x7x32xf32>) outs(%e : tensor<2x5x7x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x5x7x32xf32>
  return %q : tensor<2x5x7x32xf32>
}
// -----
// case: borders, wide windows
// rule: contraction
// reduction: 200
func.func @f(%x: tensor<1x9x14x8xf32>, %k: tensor<5x5x8x64xf32>) -> tensor<1x9x14x64xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x9x14x8xf32> to tensor<1x13x18x8xf32>
  %e = tensor.empty() : tensor<1x9x14x64xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x14x64xf32>) -> tensor<1x9x14x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x13x18x8xf32>, tensor<5x5x8x64xf32>) outs(%s : tensor<1x9x14x64xf32>) -> tensor<1x9x14x64xf32>
  return %r : tensor<1x9x14x64xf32>
}
// -----
// case: borders, uneven, stride 2
// quick
// rule: contraction
// reduction: 200
func.func @f(%x: tensor<2x9x11x8xf32>, %k: tensor<5x5x8x32xf32>) -> tensor<2x4x5x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3, 1, 0] high[0, 0, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<2x9x11x8xf32> to tensor<2x12x14x8xf32>
  %e = tensor.empty() : tensor<2x4x5x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5x32xf32>) -> tensor<2x4x5x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 2]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x12x14x8xf32>, tensor<5x5x8x32xf32>) outs(%s : tensor<2x4x5x32xf32>) -> tensor<2x4x5x32xf32>
  return %r : tensor<2x4x5x32xf32>
}
// -----
// case: borders, stride 3 and 2, relu
// rule: contraction
// reduction: 784
func.func @f(%x: tensor<1x8x12x16xf32>, %k: tensor<7x7x16x32xf32>) -> tensor<1x3x6x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x8x12x16xf32> to tensor<1x14x18x16xf32>
  %e = tensor.empty() : tensor<1x3x6x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x6x32xf32>) -> tensor<1x3x6x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[3, 2]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x14x18x16xf32>, tensor<7x7x16x32xf32>) outs(%s : tensor<1x3x6x32xf32>) -> tensor<1x3x6x32xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<1x3x6x32xf32>) outs(%e : tensor<1x3x6x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x3x6x32xf32>
  return %q : tensor<1x3x6x32xf32>
}
// -----
// case: borders, dilation 2
// quick
// rule: contraction
// reduction: 72
func.func @f(%x: tensor<1x7x9x8xf32>, %k: tensor<3x3x8x32xf32>) -> tensor<1x7x9x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x7x9x8xf32> to tensor<1x11x13x8xf32>
  %e = tensor.empty() : tensor<1x7x9x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x9x32xf32>) -> tensor<1x7x9x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[2, 2]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x11x13x8xf32>, tensor<3x3x8x32xf32>) outs(%s : tensor<1x7x9x32xf32>) -> tensor<1x7x9x32xf32>
  return %r : tensor<1x7x9x32xf32>
}
// -----
// case: borders, dilation 3 and 2, stride 2
// rule: contraction
// reduction: 72
func.func @f(%x: tensor<2x6x7x8xf32>, %k: tensor<3x3x8x32xf32>, %b: tensor<32xf32>) -> tensor<2x3x4x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 4, 3, 0] high[0, 2, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<2x6x7x8xf32> to tensor<2x12x11x8xf32>
  %e = tensor.empty() : tensor<2x3x4x32xf32>
  %s = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<2x3x4x32xf32>) dimensions = [0, 1, 2]
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 2]> : tensor<2xi64>, dilations = dense<[3, 2]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x12x11x8xf32>, tensor<3x3x8x32xf32>) outs(%s : tensor<2x3x4x32xf32>) -> tensor<2x3x4x32xf32>
  return %r : tensor<2x3x4x32xf32>
}
// -----
// case: borders wider than the image
// quick
// rule: contraction
// reduction: 90
func.func @f(%x: tensor<2x1x2x10xf32>, %k: tensor<3x3x10x32xf32>) -> tensor<2x8x8x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 4, 5, 0] high[0, 5, 3, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<2x1x2x10xf32> to tensor<2x10x10x10xf32>
  %e = tensor.empty() : tensor<2x8x8x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x10x10x10xf32>, tensor<3x3x10x32xf32>) outs(%s : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  return %r : tensor<2x8x8x32xf32>
}
// -----
// case: borders wider than the image, dilation 2
// rule: contraction
// reduction: 72
func.func @f(%x: tensor<1x2x3x8xf32>, %k: tensor<3x3x8x32xf32>) -> tensor<1x9x11x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 6, 5, 0] high[0, 5, 7, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x2x3x8xf32> to tensor<1x13x15x8xf32>
  %e = tensor.empty() : tensor<1x9x11x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x11x32xf32>) -> tensor<1x9x11x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[2, 2]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x13x15x8xf32>, tensor<3x3x8x32xf32>) outs(%s : tensor<1x9x11x32xf32>) -> tensor<1x9x11x32xf32>
  return %r : tensor<1x9x11x32xf32>
}
// -----
// case: borders of one line
// rule: contraction
// reduction: 72
func.func @f(%x: tensor<1x1x9x8xf32>, %k: tensor<3x3x8x32xf32>) -> tensor<1x1x9x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x1x9x8xf32> to tensor<1x3x11x8xf32>
  %e = tensor.empty() : tensor<1x1x9x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x9x32xf32>) -> tensor<1x1x9x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x3x11x8xf32>, tensor<3x3x8x32xf32>) outs(%s : tensor<1x1x9x32xf32>) -> tensor<1x1x9x32xf32>
  return %r : tensor<1x1x9x32xf32>
}
// -----
// case: borders of one column
// rule: contraction
// reduction: 72
func.func @f(%x: tensor<1x9x1x8xf32>, %k: tensor<3x3x8x32xf32>) -> tensor<1x9x1x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x9x1x8xf32> to tensor<1x11x3x8xf32>
  %e = tensor.empty() : tensor<1x9x1x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x1x32xf32>) -> tensor<1x9x1x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x11x3x8xf32>, tensor<3x3x8x32xf32>) outs(%s : tensor<1x9x1x32xf32>) -> tensor<1x9x1x32xf32>
  return %r : tensor<1x9x1x32xf32>
}
// -----
// case: borders of two columns
// rule: contraction
// reduction: 72
func.func @f(%x: tensor<1x2x2x8xf32>, %k: tensor<3x3x8x32xf32>) -> tensor<1x2x2x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x2x2x8xf32> to tensor<1x4x4x8xf32>
  %e = tensor.empty() : tensor<1x2x2x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x4x4x8xf32>, tensor<3x3x8x32xf32>) outs(%s : tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
  return %r : tensor<1x2x2x32xf32>
}
// -----
// case: borders of lines alone
// rule: contraction
// reduction: 120
func.func @f(%x: tensor<2x5x9x8xf32>, %k: tensor<5x3x8x32xf32>) -> tensor<2x5x7x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 0, 0] high[0, 2, 0, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<2x5x9x8xf32> to tensor<2x9x9x8xf32>
  %e = tensor.empty() : tensor<2x5x7x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x9x9x8xf32>, tensor<5x3x8x32xf32>) outs(%s : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  return %r : tensor<2x5x7x32xf32>
}
// -----
// case: borders of columns alone
// rule: contraction
// reduction: 120
func.func @f(%x: tensor<2x7x5x8xf32>, %k: tensor<3x5x8x32xf32>) -> tensor<2x5x5x32xf32> {
  %border = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 0] high[0, 0, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<2x7x5x8xf32> to tensor<2x7x9x8xf32>
  %e = tensor.empty() : tensor<2x5x5x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x32xf32>) -> tensor<2x5x5x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x7x9x8xf32>, tensor<3x5x8x32xf32>) outs(%s : tensor<2x5x5x32xf32>) -> tensor<2x5x5x32xf32>
  return %r : tensor<2x5x5x32xf32>
}
// -----
// case: borders that are no zeroes
// rule: contraction
// reduction: 108
func.func @f(%x: tensor<1x5x7x12xf32>, %k: tensor<3x3x12x32xf32>) -> tensor<1x5x7x32xf32> {
  %border = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : f32
  } : tensor<1x5x7x12xf32> to tensor<1x7x9x12xf32>
  %e = tensor.empty() : tensor<1x5x7x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x7x32xf32>) -> tensor<1x5x7x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<1x7x9x12xf32>, tensor<3x3x12x32xf32>) outs(%s : tensor<1x5x7x32xf32>) -> tensor<1x5x7x32xf32>
  return %r : tensor<1x5x7x32xf32>
}
// -----
// case: borders of narrow types
// rule: contraction
// reduction: 72
// with: T=bf16
// with: T=f16
func.func @f(%x: tensor<2x5x7x8x$T>, %k: tensor<3x3x8x32x$T>) -> tensor<2x5x7x32xf32> {
  %border = arith.constant 0.0 : $T
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %border : $T
  } : tensor<2x5x7x8x$T> to tensor<2x7x9x8x$T>
  %e = tensor.empty() : tensor<2x5x7x32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>}
      ins(%p, %k : tensor<2x7x9x8x$T>, tensor<3x3x8x32x$T>) outs(%s : tensor<2x5x7x32xf32>) -> tensor<2x5x7x32xf32>
  return %r : tensor<2x5x7x32xf32>
}
// -----
// case: 3x3 convolution, channels first, whole tiles
// rule: $R
// reduction: 144
// with: H=8 I=10 W=12 J=14 R=winograd_nchw
// with: H=4 I=6 W=4 J=6 R=winograd_nchw
// with: H=5 I=7 W=4 J=6 R=winograd_nchw
// with: H=4 I=6 W=5 J=7 R=winograd_nchw
// with: H=3 I=5 W=8 J=10 R=any
// with: H=8 I=10 W=3 J=5 R=any
// with: H=2 I=4 W=2 J=4 R=any
// with: H=1 I=3 W=8 J=10 R=any
// with: H=8 I=10 W=1 J=3 R=any
func.func @f(%x: tensor<1x16x$Hx$Wxf32>, %w: tensor<48x16x3x3xf32>) -> tensor<1x48x$Hx$Wxf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x16x$Hx$Wxf32> to tensor<1x16x$Ix$Jxf32>
  %e = tensor.empty() : tensor<1x48x$Hx$Wxf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x48x$Hx$Wxf32>) -> tensor<1x48x$Hx$Wxf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x16x$Ix$Jxf32>, tensor<48x16x3x3xf32>) outs(%z : tensor<1x48x$Hx$Wxf32>) -> tensor<1x48x$Hx$Wxf32>
  return %y : tensor<1x48x$Hx$Wxf32>
}
// -----
// case: 3x3 convolution, channels first, batch, edges, bias before
// rule: winograd_nchw
// reduction: 288
func.func @f(%x: tensor<2x32x6x5xf32>, %w: tensor<32x32x3x3xf32>, %b: tensor<32xf32>) -> tensor<2x32x6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x32x6x5xf32> to tensor<2x32x8x7xf32>
  %e = tensor.empty() : tensor<2x32x6x5xf32>
  %z = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<2x32x6x5xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<2x32x8x7xf32>, tensor<32x32x3x3xf32>) outs(%z : tensor<2x32x6x5xf32>) -> tensor<2x32x6x5xf32>
  return %y : tensor<2x32x6x5xf32>
}
// -----
// case: 3x3 convolution, channels first, uneven borders, bias, residual and relu
// rule: winograd_nchw
// reduction: 144
// quick
func.func @f(%x: tensor<1x16x13x8xf32>, %w: tensor<32x16x3x3xf32>, %b: tensor<32xf32>, %r: tensor<1x32x13x7xf32>) -> tensor<1x32x13x7xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 0] high[0, 0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x16x13x8xf32> to tensor<1x16x15x9xf32>
  %e = tensor.empty() : tensor<1x32x13x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x13x7xf32>) -> tensor<1x32x13x7xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x16x15x9xf32>, tensor<32x16x3x3xf32>) outs(%z : tensor<1x32x13x7xf32>) -> tensor<1x32x13x7xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (n, f, h, w)>, affine_map<(n, f, h, w) -> (f)>, affine_map<(n, f, h, w) -> (n, f, h, w)>, affine_map<(n, f, h, w) -> (n, f, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b, %r : tensor<1x32x13x7xf32>, tensor<32xf32>, tensor<1x32x13x7xf32>) outs(%e : tensor<1x32x13x7xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    %2 = arith.addf %1, %d : f32
    %3 = arith.maximumf %2, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<1x32x13x7xf32>
  return %q : tensor<1x32x13x7xf32>
}
// -----
// case: 3x3 convolution, channels first, borders and start that are no zeroes
// rule: winograd_nchw
// reduction: 144
func.func @f(%x: tensor<1x16x8x6xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %border = arith.constant 0.5 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %border : f32
  } : tensor<1x16x8x6xf32> to tensor<1x16x10x8xf32>
  %e = tensor.empty() : tensor<1x16x8x6xf32>
  %one = arith.constant 1.0 : f32
  %z = linalg.fill ins(%one : f32) outs(%e : tensor<1x16x8x6xf32>) -> tensor<1x16x8x6xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x16x10x8xf32>, tensor<16x16x3x3xf32>) outs(%z : tensor<1x16x8x6xf32>) -> tensor<1x16x8x6xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (n, f, h, w)>, affine_map<(n, f, h, w) -> (n, f, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x16x8x6xf32>) outs(%e : tensor<1x16x8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.maximumf %a, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<1x16x8x6xf32>
  return %q : tensor<1x16x8x6xf32>
}
// -----
// case: place of the largest, rows
// quick
// rule: general
// reduction: 1
// with: M=37 N=45
// with: M=5 N=100
// with: M=64 N=16
// with: M=3 N=7
// with: M=40 N=1
func.func @f(%x: tensor<$Mx$Nxf32>) -> (tensor<$Mxf32>, tensor<$Mxi64>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<$Mxf32>
  %e1 = tensor.empty() : tensor<$Mxi64>
  %s0 = linalg.fill ins(%least : f32) outs(%e0 : tensor<$Mxf32>) -> tensor<$Mxf32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<$Mxi64>) -> tensor<$Mxi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Mx$Nxf32>) outs(%s0, %s1 : tensor<$Mxf32>, tensor<$Mxi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %c, %in, %best : f32
    %k = arith.select %c, %j, %at : i64
    linalg.yield %v, %k : f32, i64
  } -> (tensor<$Mxf32>, tensor<$Mxi64>)
  return %r#0, %r#1 : tensor<$Mxf32>, tensor<$Mxi64>
}
// -----
// case: place of the largest, columns
// quick
// rule: general
// reduction: 1
// with: K=19 N=45
// with: K=100 N=300
// with: K=3 N=2
func.func @f(%x: tensor<$Kx$Nxf32>) -> (tensor<$Nxf32>, tensor<$Nxi64>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<$Nxf32>
  %e1 = tensor.empty() : tensor<$Nxi64>
  %s0 = linalg.fill ins(%least : f32) outs(%e0 : tensor<$Nxf32>) -> tensor<$Nxf32>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<$Nxi64>) -> tensor<$Nxi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (b)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<$Kx$Nxf32>) outs(%s0, %s1 : tensor<$Nxf32>, tensor<$Nxi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %c, %in, %best : f32
    %k = arith.select %c, %j, %at : i64
    linalg.yield %v, %k : f32, i64
  } -> (tensor<$Nxf32>, tensor<$Nxi64>)
  return %r#0, %r#1 : tensor<$Nxf32>, tensor<$Nxi64>
}
// -----
// case: place of the last of the least, middle
// rule: general
// reduction: 1
// with: N=33
// with: N=5
func.func @f(%x: tensor<3x14x$Nxi32>) -> (tensor<3x$Nxi32>, tensor<3x$Nxi32>) {
  %least = arith.constant 2147483647 : i32
  %zero = arith.constant 0 : i32
  %e0 = tensor.empty() : tensor<3x$Nxi32>
  %e1 = tensor.empty() : tensor<3x$Nxi32>
  %s0 = linalg.fill ins(%least : i32) outs(%e0 : tensor<3x$Nxi32>) -> tensor<3x$Nxi32>
  %s1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<3x$Nxi32>) -> tensor<3x$Nxi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, c)>, affine_map<(a, b, c) -> (a, c)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<3x14x$Nxi32>) outs(%s0, %s1 : tensor<3x$Nxi32>, tensor<3x$Nxi32>) {
  ^bb0(%in: i32, %best: i32, %at: i32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpi sle, %in, %best : i32
    %v = arith.select %c, %in, %best : i32
    %k = arith.select %c, %j, %at : i32
    linalg.yield %v, %k : i32, i32
  } -> (tensor<3x$Nxi32>, tensor<3x$Nxi32>)
  return %r#0, %r#1 : tensor<3x$Nxi32>, tensor<3x$Nxi32>
}
// -----
// case: place of the largest of all
// rule: general
// reduction: 1
// with: N=300
func.func @f(%x: tensor<$Nxf64>) -> (tensor<f64>, tensor<i64>) {
  %least = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<f64>
  %e1 = tensor.empty() : tensor<i64>
  %s0 = linalg.fill ins(%least : f64) outs(%e0 : tensor<f64>) -> tensor<f64>
  %s1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>, affine_map<(a) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<$Nxf64>) outs(%s0, %s1 : tensor<f64>, tensor<i64>) {
  ^bb0(%in: f64, %best: f64, %at: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %in, %best : f64
    %v = arith.select %c, %in, %best : f64
    %k = arith.select %c, %j, %at : i64
    linalg.yield %v, %k : f64, i64
  } -> (tensor<f64>, tensor<i64>)
  return %r#0, %r#1 : tensor<f64>, tensor<i64>
}
// -----
// case: place of the largest of few long rows, by parts
// quick
// rule: general
// reduction: 1
// with: M=3 N=700 T=f32 O=ogt F=math.absf
// with: M=2 N=133 T=f64 O=ole F=math.sqrt
// with: M=1 N=1001 T=f16 O=oge F=math.roundeven
// with: M=40 N=300 T=f32 O=olt F=math.sqrt
// with: M=3 N=700 T=f32 O=ogt F=math.roundeven
func.func @f(%x: tensor<$Mx$Nx$T>, %s0: tensor<$Mx$T>, %s1: tensor<$Mxi64>) -> (tensor<$Mx$T>, tensor<$Mxi64>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Mx$Nx$T>) outs(%s0, %s1 : tensor<$Mx$T>, tensor<$Mxi64>) {
  ^bb0(%in: $T, %best: $T, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %y = $F %in : $T
    %c = arith.cmpf $O, %y, %best : $T
    %v = arith.select %c, %y, %best : $T
    %k = arith.select %c, %j, %at : i64
    linalg.yield %v, %k : $T, i64
  } -> (tensor<$Mx$T>, tensor<$Mxi64>)
  return %r#0, %r#1 : tensor<$Mx$T>, tensor<$Mxi64>
}
// -----
// case: place of the largest over two loops, by parts
// quick
// rule: general
// reduction: 1
// with: M=5 N=100 O=ogt
// with: M=3 N=130 O=ole
func.func @f(%x: tensor<2x$Mx$Nxf32>, %s0: tensor<2xf32>, %s1: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a)>, affine_map<(a, b, c) -> (a)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<2x$Mx$Nxf32>) outs(%s0, %s1 : tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %n = arith.constant $N : index
    %l = arith.muli %i, %n : index
    %p = arith.addi %l, %j : index
    %q = arith.index_cast %p : index to i32
    %c = arith.cmpf $O, %in, %best : f32
    %v = arith.select %c, %in, %best : f32
    %k = arith.select %c, %q, %at : i32
    linalg.yield %v, %k : f32, i32
  } -> (tensor<2xf32>, tensor<2xi32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
}
// -----
// case: the lower place of equal ones, by parts
// quick
// rule: general
// reduction: 1
// with: M=3 N=700 F=math.roundeven
// with: M=40 N=301 F=math.sqrt
func.func @f(%x: tensor<$Mx$Nxf32>, %s0: tensor<$Mxf32>, %s1: tensor<$Mxi64>) -> (tensor<$Mxf32>, tensor<$Mxi64>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Mx$Nxf32>) outs(%s0, %s1 : tensor<$Mxf32>, tensor<$Mxi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %y = $F %in : f32
    %c = arith.cmpf oge, %best, %y : f32
    %v = arith.select %c, %best, %y : f32
    %q = arith.cmpf oeq, %best, %y : f32
    %m = arith.minsi %at, %j : i64
    %k = arith.select %c, %at, %j : i64
    %p = arith.select %q, %m, %k : i64
    linalg.yield %v, %p : f32, i64
  } -> (tensor<$Mxf32>, tensor<$Mxi64>)
  return %r#0, %r#1 : tensor<$Mxf32>, tensor<$Mxi64>
}
// -----
// case: windows that slide along a row
// quick
// rule: general
// reduction: $W
// with: M=7 L=343 N=261 W=83 T=f32 O=maximumf
// with: M=64 L=1023 N=512 W=512 T=f32 O=addf
// with: M=3 L=163 N=64 W=100 T=i32 O=addi
// with: M=2 L=1007 N=8 W=1000 T=i64 O=maxsi
// with: M=1 L=1023 N=24 W=1000 T=f16 O=minnumf
// with: M=5 L=395 N=300 W=96 T=i8 O=xori
// with: M=2 L=119 N=40 W=80 T=bf16 O=addf
func.func @f(%x: tensor<$Mx$Lx$T>, %s: tensor<$Mx$Nx$T>) -> tensor<$Mx$Nx$T> {
  %w = tensor.empty() : tensor<$Wx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, k) -> (b, i + k)>, affine_map<(b, i, k) -> (k)>, affine_map<(b, i, k) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<$Mx$Lx$T>, tensor<$Wx$T>) outs(%s : tensor<$Mx$Nx$T>) {
  ^bb0(%in: $T, %unused: $T, %out: $T):
    %0 = arith.$O %in, %out : $T
    linalg.yield %0 : $T
  } -> tensor<$Mx$Nx$T>
  return %r : tensor<$Mx$Nx$T>
}
// -----
// case: windows that slide along another loop than the lanes
// quick
// rule: general
// reduction: $W
// with: L=199 C=37 N=100 W=100 T=i32 O=addi
// with: L=209 C=137 N=200 W=10 T=f32 O=maximumf
// with: L=70 C=16 N=20 W=51 T=f64 O=addf
func.func @f(%x: tensor<2x$Lx$Cx$T>, %s: tensor<2x$Nx$Cx$T>) -> tensor<2x$Nx$Cx$T> {
  %w = tensor.empty() : tensor<$Wx$T>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, c, k) -> (b, i + k, c)>, affine_map<(b, i, c, k) -> (k)>, affine_map<(b, i, c, k) -> (b, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x$Lx$Cx$T>, tensor<$Wx$T>) outs(%s : tensor<2x$Nx$Cx$T>) {
  ^bb0(%in: $T, %unused: $T, %out: $T):
    %0 = arith.$O %out, %in : $T
    linalg.yield %0 : $T
  } -> tensor<2x$Nx$Cx$T>
  return %r : tensor<2x$Nx$Cx$T>
}
// -----
// case: windows that slide both ways
// quick
// rule: general
// with: H=50 L=150 P=20 N=111 V=31 W=40
// with: H=22 L=70 P=20 N=30 V=3 W=41
// with: H=70 L=32 P=30 N=30 V=41 W=3
func.func @f(%x: tensor<2x$Hx$Lxi8>, %s: tensor<2x$Px$Nxi8>) -> tensor<2x$Px$Nxi8> {
  %w = tensor.empty() : tensor<$Vx$Wxi8>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j, v, w) -> (b, i + v, j + w)>, affine_map<(b, i, j, v, w) -> (v, w)>, affine_map<(b, i, j, v, w) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x$Hx$Lxi8>, tensor<$Vx$Wxi8>) outs(%s : tensor<2x$Px$Nxi8>) {
  ^bb0(%in: i8, %unused: i8, %out: i8):
    %0 = arith.minui %in, %out : i8
    linalg.yield %0 : i8
  } -> tensor<2x$Px$Nxi8>
  return %r : tensor<2x$Px$Nxi8>
}
// -----
// case: two results of a row
// quick
// rule: general
// reduction: 300
func.func @f(%x: tensor<21x300xf32>) -> (tensor<21xf32>, tensor<21xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<21xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<21xf32>) -> tensor<21xf32>
  %s1 = linalg.fill ins(%least : f32) outs(%e : tensor<21xf32>) -> tensor<21xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<21x300xf32>) outs(%s0, %s1 : tensor<21xf32>, tensor<21xf32>) {
  ^bb0(%in: f32, %sum: f32, %most: f32):
    %q = arith.mulf %in, %in : f32
    %t = arith.addf %sum, %q : f32
    %m = arith.maximumf %most, %in : f32
    linalg.yield %t, %m : f32, f32
  } -> (tensor<21xf32>, tensor<21xf32>)
  return %r#0, %r#1 : tensor<21xf32>, tensor<21xf32>
}
// -----
// case: any and all of bits
// quick
// rule: general
// reduction: 1
func.func @f(%x: tensor<10x77xf32>, %y: tensor<10x77xf32>) -> (tensor<10xi1>, tensor<77xi1>, tensor<10x77xf32>) {
  %no = arith.constant false
  %yes = arith.constant true
  %e0 = tensor.empty() : tensor<10x77xi1>
  %e1 = tensor.empty() : tensor<10xi1>
  %e2 = tensor.empty() : tensor<77xi1>
  %e3 = tensor.empty() : tensor<10x77xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<10x77xf32>, tensor<10x77xf32>) outs(%e0 : tensor<10x77xi1>) {
  ^bb0(%in: f32, %other: f32, %out: i1):
    %r = arith.cmpf olt, %in, %other : f32
    linalg.yield %r : i1
  } -> tensor<10x77xi1>
  %s1 = linalg.fill ins(%no : i1) outs(%e1 : tensor<10xi1>) -> tensor<10xi1>
  %any = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<10x77xi1>) outs(%s1 : tensor<10xi1>) {
  ^bb0(%in: i1, %out: i1):
    %r = arith.ori %out, %in : i1
    linalg.yield %r : i1
  } -> tensor<10xi1>
  %s2 = linalg.fill ins(%yes : i1) outs(%e2 : tensor<77xi1>) -> tensor<77xi1>
  %all = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>], iterator_types = ["reduction", "parallel"]}
      ins(%c : tensor<10x77xi1>) outs(%s2 : tensor<77xi1>) {
  ^bb0(%in: i1, %out: i1):
    %r = arith.andi %out, %in : i1
    linalg.yield %r : i1
  } -> tensor<77xi1>
  %least = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %x, %y : tensor<10x77xi1>, tensor<10x77xf32>, tensor<10x77xf32>) outs(%e3 : tensor<10x77xf32>) {
  ^bb0(%bit: i1, %in: f32, %other: f32, %out: f32):
    %r = arith.select %bit, %in, %other : f32
    linalg.yield %r : f32
  } -> tensor<10x77xf32>
  return %any, %all, %least : tensor<10xi1>, tensor<77xi1>, tensor<10x77xf32>
}
// -----
// case: reads by indices, and a division of lanes that are not there
// quick
// rule: general
// reduction: 1
// indices: 9
// with: N=37
// with: N=6
// with: N=16
func.func @f(%table: tensor<10x$Nxi32>, %rows: tensor<13xi32>, %columns: tensor<13x$Nxi32>) -> (tensor<13x$Nxi32>, tensor<13x$Nxi32>) {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<13x$Nxi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %columns : tensor<13xi32>, tensor<13x$Nxi32>) outs(%e, %e : tensor<13x$Nxi32>, tensor<13x$Nxi32>) {
  ^bb0(%row: i32, %column: i32, %o0: i32, %o1: i32):
    %i = arith.index_cast %row : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<10x$Nxi32>
    %d = arith.addi %column, %one : i32
    %q = arith.divui %v, %d : i32
    linalg.yield %v, %q : i32, i32
  } -> (tensor<13x$Nxi32>, tensor<13x$Nxi32>)
  return %r#0, %r#1 : tensor<13x$Nxi32>, tensor<13x$Nxi32>
}
// -----
// case: sizes at run time, turned
// quick
// rule: general
// reduction: 1
// dynamic: 21
func.func @f(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%s : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %c = arith.cmpf ogt, %in, %out : f32
    %t = arith.select %c, %in, %out : f32
    %u = arith.addf %t, %f : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
