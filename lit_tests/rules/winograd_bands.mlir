// Winograd's convolution of an image that no second cache holds, once it is transformed: in bands of
// lines, of which the last one has fewer.

// RUN: tune-opt %s --tune-print-space=target=cpu:x86-64-v4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=KNOB
// KNOB: conv 150x151x16 over
// KNOB: winograd_lines {{.*}} bands_of_[[LINES:[0-9]+]] {{.*}}whole, bands_of_[[LINES]]
// KNOB: conv 2x130x134x16 over
// KNOB: winograd_lines {{.*}} bands_of_[[LINES2:[0-9]+]] {{.*}}whole, bands_of_[[LINES2]]

// What fits stays whole.
// KNOB: conv 28x28x16 over
// KNOB-NOT: winograd_lines

// RUN: tune-run %s --function=lines --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=lines --db= --strict --check --time=0.001 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=images --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=images --db= --strict --check --time=0.001 --target=cpu:x86-64-v3 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: sed 's/{choose}/{tune.choices = {winograd_tile = "2x2"}}/' %s > %t.small.mlir
// RUN: tune-run %t.small.mlir --function=lines --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#x = affine_map<(h, w, o, kh, kw, i) -> (h + kh, w + kw, i)>
#f = affine_map<(h, w, o, kh, kw, i) -> (kh, kw, i, o)>
#r = affine_map<(h, w, o, kh, kw, i) -> (h, w, o)>

func.func @lines(%x: tensor<150x151x16xf32>, %w: tensor<3x3x16x16xf32>, %b: tensor<16xf32>) -> tensor<150x151x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<150x151x16xf32> to tensor<152x153x16xf32>
  %e = tensor.empty() : tensor<150x151x16xf32>
  %init = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<150x151x16xf32>) dimensions = [0, 1]
  %y = linalg.generic {indexing_maps = [#x, #f, #r],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<152x153x16xf32>, tensor<3x3x16x16xf32>) outs(%init : tensor<150x151x16xf32>) attrs = {choose} {
  ^bb0(%a: f32, %c: f32, %s: f32):
    %m = arith.mulf %a, %c : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<150x151x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, o) -> (h, w, o)>, affine_map<(h, w, o) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<150x151x16xf32>) outs(%e : tensor<150x151x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<150x151x16xf32>
  return %r : tensor<150x151x16xf32>
}

func.func @images(%x: tensor<2x132x136x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<2x130x134x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x130x134x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x130x134x16xf32>) -> tensor<2x130x134x16xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x132x136x16xf32>, tensor<3x3x16x16xf32>)
      outs(%init : tensor<2x130x134x16xf32>) -> tensor<2x130x134x16xf32>
  return %y : tensor<2x130x134x16xf32>
}

func.func @small(%x: tensor<1x30x30x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<1x28x28x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x28x28x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x30x30x16xf32>, tensor<3x3x16x16xf32>)
      outs(%init : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
  return %y : tensor<1x28x28x16xf32>
}
