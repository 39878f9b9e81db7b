// What comes out of TOSA has convolutions with channels innermost, and turns their images where the network has
// channels before pixels; a tensor.insert_slice for each tensor of a concatenation; and tensors of 1x1x1xC in place of
// rows. What is turned there and back is not turned, and what follows a product goes with it.
// RUN: tune-opt %s --tune-extract=remarks=all -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="transpose 28" --implicit-check-not="transpose 16" --implicit-check-not="transpose 32"
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=norm --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=kept --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=left --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=network --db= --target=vulkan --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#before = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#last = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#pixel = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#of_pixel = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>

// CHECK-DAG: matmul 784x16x8 f32 +mul
// CHECK-DAG: matmul 784x8x32 f32 +sub +relu
func.func @network(%x: tensor<1x28x28x8xf32>, %a: tensor<16x1x1x8xf32> {tune.constant}, %by: tensor<1x16x1x1xf32> {tune.constant},
    %b: tensor<8x1x1x32xf32> {tune.constant}, %less: tensor<1x1x1x8xf32> {tune.constant}) -> tensor<1x28x28x8xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %e0 = tensor.empty() : tensor<1x28x28x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
  %0 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %a : tensor<1x28x28x8xf32>, tensor<16x1x1x8xf32>) outs(%f0 : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
  %e1 = tensor.empty() : tensor<1x16x28x28xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x28x28x16xf32>) outs(%e1 : tensor<1x16x28x28xf32>) permutation = [0, 3, 1, 2]
  %2 = linalg.generic {indexing_maps = [#id, #before, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %by : tensor<1x16x28x28xf32>, tensor<1x16x1x1xf32>) outs(%e1 : tensor<1x16x28x28xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %m = arith.mulf %in, %s : f32
    linalg.yield %m : f32
  } -> tensor<1x16x28x28xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2 : tensor<1x16x28x28xf32>) outs(%e1 : tensor<1x16x28x28xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.minimumf %in, %six : f32
    linalg.yield %m : f32
  } -> tensor<1x16x28x28xf32>
  %e2 = tensor.empty() : tensor<1x32x28x28xf32>
  %4 = tensor.insert_slice %2 into %e2[0, 0, 0, 0] [1, 16, 28, 28] [1, 1, 1, 1] : tensor<1x16x28x28xf32> into tensor<1x32x28x28xf32>
  %5 = tensor.insert_slice %3 into %4[0, 16, 0, 0] [1, 16, 28, 28] [1, 1, 1, 1] : tensor<1x16x28x28xf32> into tensor<1x32x28x28xf32>
  %e3 = tensor.empty() : tensor<1x28x28x32xf32>
  %6 = linalg.transpose ins(%5 : tensor<1x32x28x28xf32>) outs(%e3 : tensor<1x28x28x32xf32>) permutation = [0, 2, 3, 1]
  %e4 = tensor.empty() : tensor<1x28x28x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<1x28x28x8xf32>) -> tensor<1x28x28x8xf32>
  %7 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%6, %b : tensor<1x28x28x32xf32>, tensor<8x1x1x32xf32>) outs(%f4 : tensor<1x28x28x8xf32>) -> tensor<1x28x28x8xf32>
  %8 = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%7, %less : tensor<1x28x28x8xf32>, tensor<1x1x1x8xf32>) outs(%e4 : tensor<1x28x28x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %m = arith.subf %in, %s : f32
    linalg.yield %m : f32
  } -> tensor<1x28x28x8xf32>
  %9 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%8 : tensor<1x28x28x8xf32>) outs(%e4 : tensor<1x28x28x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x28x28x8xf32>
  return %9 : tensor<1x28x28x8xf32>
}

// A norm of what a product over all pixels makes stays one.
// CHECK-DAG: matmul 100x32x8 f32
// CHECK-DAG: layer_norm 10x10x32 f32
func.func @norm(%x: tensor<1x10x10x8xf32>, %a: tensor<32x1x1x8xf32> {tune.constant}, %add: tensor<1x1x1x32xf32> {tune.constant}) -> tensor<1x10x10x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %little = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<1x10x10x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x10x10x32xf32>) -> tensor<1x10x10x32xf32>
  %p = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %a : tensor<1x10x10x8xf32>, tensor<32x1x1x8xf32>) outs(%f : tensor<1x10x10x32xf32>) -> tensor<1x10x10x32xf32>
  %q = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %add : tensor<1x10x10x32xf32>, tensor<1x1x1x32xf32>) outs(%e : tensor<1x10x10x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %m = arith.addf %in, %s : f32
    linalg.yield %m : f32
  } -> tensor<1x10x10x32xf32>
  %e1 = tensor.empty() : tensor<1x10x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x10x10xf32>) -> tensor<1x10x10xf32>
  %sum = linalg.generic {indexing_maps = [#id, #pixel], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q : tensor<1x10x10x32xf32>) outs(%f1 : tensor<1x10x10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<1x10x10xf32>
  %sums = tensor.expand_shape %sum [[0], [1], [2, 3]] output_shape [1, 10, 10, 1] : tensor<1x10x10xf32> into tensor<1x10x10x1xf32>
  %d = linalg.generic {indexing_maps = [#id, #of_pixel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q, %sums : tensor<1x10x10x32xf32>, tensor<1x10x10x1xf32>) outs(%e : tensor<1x10x10x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.subf %in, %mean : f32
    linalg.yield %m : f32
  } -> tensor<1x10x10x32xf32>
  %sq = linalg.generic {indexing_maps = [#id, #pixel], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%d : tensor<1x10x10x32xf32>) outs(%f1 : tensor<1x10x10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    %m = arith.addf %s, %out : f32
    linalg.yield %m : f32
  } -> tensor<1x10x10xf32>
  %squares = tensor.expand_shape %sq [[0], [1], [2, 3]] output_shape [1, 10, 10, 1] : tensor<1x10x10xf32> into tensor<1x10x10x1xf32>
  %r = linalg.generic {indexing_maps = [#id, #of_pixel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d, %squares : tensor<1x10x10x32xf32>, tensor<1x10x10x1xf32>) outs(%e : tensor<1x10x10x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %v = arith.divf %s, %n : f32
    %w = arith.addf %v, %little : f32
    %t = math.rsqrt %w : f32
    %m = arith.mulf %in, %t : f32
    linalg.yield %m : f32
  } -> tensor<1x10x10x32xf32>
  return %r : tensor<1x10x10x32xf32>
}

// Nothing is joined where a part is read before the next one is there, or where something of what was there is left.
func.func @kept(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = tensor.insert_slice %x into %z[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %1 = tensor.insert_slice %y into %0[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}
func.func @left(%x: tensor<4x8xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tensor.insert_slice %x into %z[0, 4] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
