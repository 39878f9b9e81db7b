// Convolutions whose channels fill no whole vectors: with zeroes behind the channels, where parts of
// vectors have fewer lanes, and the image is transformed in parts of vectors.

// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v4 -o %t.v4.mlir 2>&1 | FileCheck %s --check-prefix=V4
// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v3 -o %t.v3.mlir 2>&1 | FileCheck %s --check-prefix=V3
// RUN: tune-run %s --function=halves --db= --strict --check --time=0.01 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=filled --db= --strict --check --time=0.01 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=halves --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=filled --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=filled --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=quarters --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=quarters --db= --strict --check --time=0.01 --target=cpu:x86-64-v3 --threads=2 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

// V4: conv 28x28x24 over 3x3x24
// V4: rule 'winograd'
// V4: {{^}}layout {{.*}} filled
// V4: {{^}}algorithm {{.*}} winograd {{.*}}direct, winograd
// V4: {{^}}winograd_nr {{.*}} 16
// V4: conv 14x14x28 over 3x3x28
// V4: rule 'contraction'
// V4: {{^}}layout {{.*}} filled
// V4: {{^}}nr {{.*}} 32 {{.*}}layout == filled
// V4: conv 14x14x8 over 3x3x8
// V4-NOT: filled
// V4: {{^}}nr {{.*}} 8
// V4: conv 28x28x36 over 3x3x36
// V4: rule 'winograd'
// V4: {{^}}layout {{.*}} filled
// V4: {{^}}algorithm {{.*}} winograd {{.*}}direct, winograd
// V4: {{^}}winograd_nr {{.*}} 16

// V3: conv 28x28x24 over 3x3x24
// V3: rule 'winograd'
// V3: winograd_nr {{.*}} 8
// V3: conv 14x14x28 over 3x3x28
// V3: {{^}}nr {{.*}} 16 {{.*}}layout == filled

#x = affine_map<(h, w, o, kh, kw, i) -> (h + kh, w + kw, i)>
#f = affine_map<(h, w, o, kh, kw, i) -> (kh, kw, i, o)>
#r = affine_map<(h, w, o, kh, kw, i) -> (h, w, o)>

func.func @halves(%x: tensor<30x30x24xf32>, %w: tensor<3x3x24x24xf32> {tune.constant}) -> tensor<28x28x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<28x28x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<28x28x24xf32>) -> tensor<28x28x24xf32>
  %y = linalg.generic {indexing_maps = [#x, #f, #r],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<30x30x24xf32>, tensor<3x3x24x24xf32>) outs(%init : tensor<28x28x24xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<28x28x24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, o) -> (h, w, o)>, affine_map<(h, w, o) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<28x28x24xf32>) outs(%e : tensor<28x28x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<28x28x24xf32>
  return %r : tensor<28x28x24xf32>
}

func.func @filled(%x: tensor<16x16x28xf32>, %w: tensor<3x3x28x28xf32> {tune.constant}) -> tensor<14x14x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<14x14x28xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<14x14x28xf32>) -> tensor<14x14x28xf32>
  %y = linalg.generic {indexing_maps = [#x, #f, #r],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<16x16x28xf32>, tensor<3x3x28x28xf32>) outs(%init : tensor<14x14x28xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<14x14x28xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, o) -> (h, w, o)>, affine_map<(h, w, o) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<14x14x28xf32>) outs(%e : tensor<14x14x28xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<14x14x28xf32>
  return %r : tensor<14x14x28xf32>
}

func.func @few(%x: tensor<16x16x8xf32>, %w: tensor<3x3x8x8xf32> {tune.constant}) -> tensor<14x14x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<14x14x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<14x14x8xf32>) -> tensor<14x14x8xf32>
  %y = linalg.generic {indexing_maps = [#x, #f, #r],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<16x16x8xf32>, tensor<3x3x8x8xf32>) outs(%init : tensor<14x14x8xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<14x14x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, o) -> (h, w, o)>, affine_map<(h, w, o) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<14x14x8xf32>) outs(%e : tensor<14x14x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<14x14x8xf32>
  return %r : tensor<14x14x8xf32>
}

func.func @quarters(%x: tensor<30x30x36xf32>, %w: tensor<3x3x36x36xf32> {tune.constant}) -> tensor<28x28x36xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<28x28x36xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<28x28x36xf32>) -> tensor<28x28x36xf32>
  %y = linalg.generic {indexing_maps = [#x, #f, #r],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<30x30x36xf32>, tensor<3x3x36x36xf32>) outs(%init : tensor<28x28x36xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<28x28x36xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, o) -> (h, w, o)>, affine_map<(h, w, o) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<28x28x36xf32>) outs(%e : tensor<28x28x36xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<28x28x36xf32>
  return %r : tensor<28x28x36xf32>
}
