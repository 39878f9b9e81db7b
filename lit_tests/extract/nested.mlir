// An op with another one in its body, on tensors without dimensions, stays as it is.
// RUN: tune-opt %s --tune-extract -o /dev/null 2>&1 | FileCheck %s
// RUN: tune-run %s --db= --strict --check --time=0.001 | FileCheck %s --check-prefix=OK
// CHECK: linalg.generic is not tuned: there is another linalg op in its body
// OK: Check {{ *}}ok
#i = affine_map<(d0)->(d0)>
#s = affine_map<()->()>
func.func @f(%x: tensor<400xf32>) -> tensor<400xf32> {
  %z = arith.constant dense<0.0> : tensor<400xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %e = tensor.empty() : tensor<400xf32>
  %r = linalg.generic {indexing_maps=[#i,#i,#i], iterator_types=["parallel"]}
       ins(%x,%z : tensor<400xf32>,tensor<400xf32>) outs(%e : tensor<400xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = tensor.from_elements %a : tensor<f32>
    %e0 = tensor.empty() : tensor<f32>
    %u = linalg.generic {indexing_maps=[#s,#s,#s], iterator_types=[]}
         ins(%t,%one : tensor<f32>,tensor<f32>) outs(%e0 : tensor<f32>) {
      ^bb0(%p: f32, %q: f32, %w: f32):
        %m = arith.addf %p, %q : f32
        linalg.yield %m : f32 } -> tensor<f32>
    %v = tensor.extract %u[] : tensor<f32>
    %y = arith.maximumf %v, %b : f32
    linalg.yield %y : f32 } -> tensor<400xf32>
  return %r : tensor<400xf32> }
