// A network with channels before pixels is computed with channels innermost between where it begins
// and where it ends: images are turned once there, constant filters ahead. A convolution by itself
// stays, as turning its image takes longer than is saved; so does what has filters that are not
// constant, and types that are no floats.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=network --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=branches --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=alone --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %S/Inputs/images_in_blocks.mlir --function=pad --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %S/Inputs/images_in_blocks.mlir --function=joint --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %S/Inputs/images_in_blocks.mlir --function=looped --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,AHEAD
// OK: Check {{ *}}ok
// AHEAD: Packed ahead

// CHECK-LABEL: func.func @network(
// CHECK-SAME: tensor<1x16x56x56xf32>
// CHECK: call @tune_task_{{.*}}(%arg3, {{.*}} -> tensor<3x3x96x96xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<16x56x56xf32>, {{.*}} -> tensor<56x56x16xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<3136x16xf32>, {{.*}} -> tensor<3136x96xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<56x56x96xf32>, tensor<96x3x3xf32>, {{.*}} -> tensor<28x28x96xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<28x28x96xf32>, tensor<3x3x96x96xf32>, {{.*}} -> tensor<28x28x96xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<28x28x96xf32>, {{.*}} -> tensor<96xf32>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#red = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
func.func @network(%x: tensor<1x16x56x56xf32>, %a: tensor<96x16x1x1xf32> {tune.constant},
    %b: tensor<96x3x3xf32> {tune.constant}, %c: tensor<96x96x3x3xf32> {tune.constant}) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x96x56x56xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x96x56x56xf32>) -> tensor<1x96x56x56xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x56x56xf32>, tensor<96x16x1x1xf32>) outs(%f0 : tensor<1x96x56x56xf32>) -> tensor<1x96x56x56xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x96x56x56xf32>) outs(%e0 : tensor<1x96x56x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x96x56x56xf32>
  %p0 = tensor.pad %r0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x96x56x56xf32> to tensor<1x96x58x58xf32>
  %e1 = tensor.empty() : tensor<1x96x28x28xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p0, %b : tensor<1x96x58x58xf32>, tensor<96x3x3xf32>) outs(%f1 : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %p1 = tensor.pad %1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x96x28x28xf32> to tensor<1x96x30x30xf32>
  %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p1, %c : tensor<1x96x30x30xf32>, tensor<96x96x3x3xf32>) outs(%f1 : tensor<1x96x28x28xf32>) -> tensor<1x96x28x28xf32>
  %s = tensor.empty() : tensor<1x96xf32>
  %g = linalg.fill ins(%zero : f32) outs(%s : tensor<1x96xf32>) -> tensor<1x96xf32>
  %3 = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%2 : tensor<1x96x28x28xf32>) outs(%g : tensor<1x96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<1x96xf32>
  return %3 : tensor<1x96xf32>
}

// Parts, joints, borders, a residual, an image that is returned as it came, and a reshape.
// CHECK-LABEL: func.func @branches(
// CHECK: tensor.concat dim(3) {{.*}} -> tensor<1x56x56x128xf32>
// CHECK: call {{.*}} : (tensor<56x56x128xf32>, {{.*}} -> tensor<128x56x56xf32>
// CHECK: tensor.extract_slice {{.*}}[0, 1, 1, 0] [1, 54, 54, 64]
// CHECK: call {{.*}} : (tensor<54x54x64xf32>, {{.*}} -> tensor<64x54x54xf32>
func.func @branches(%x: tensor<1x16x56x56xf32>, %a: tensor<64x16x1x1xf32> {tune.constant},
    %b: tensor<64x11x11xf32> {tune.constant}) -> (tensor<1x128x3136xf32>, tensor<1x64x54x54xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x64x56x56xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x56x56xf32>, tensor<64x16x1x1xf32>) outs(%f0 : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %p0 = tensor.pad %0 low[0, 0, 5, 5] high[0, 0, 5, 5] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x64x56x56xf32> to tensor<1x64x66x66xf32>
  %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p0, %b : tensor<1x64x66x66xf32>, tensor<64x11x11xf32>) outs(%f0 : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %2 = linalg.add ins(%0, %1 : tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>) outs(%e0 : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %p1 = tensor.pad %2 low[0, 0, 5, 5] high[0, 0, 5, 5] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x64x56x56xf32> to tensor<1x64x66x66xf32>
  %3 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p1, %b : tensor<1x64x66x66xf32>, tensor<64x11x11xf32>) outs(%f0 : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %4 = tensor.concat dim(1) %2, %3 : (tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>) -> tensor<1x128x56x56xf32>
  %5 = tensor.extract_slice %3[0, 0, 1, 1] [1, 64, 54, 54] [1, 1, 1, 1] : tensor<1x64x56x56xf32> to tensor<1x64x54x54xf32>
  %6 = tensor.collapse_shape %4 [[0], [1], [2, 3]] : tensor<1x128x56x56xf32> into tensor<1x128x3136xf32>
  return %6, %5 : tensor<1x128x3136xf32>, tensor<1x64x54x54xf32>
}

// CHECK-LABEL: func.func @alone(
// CHECK: call {{.*}}tensor<64x64x3x3xf32>{{.*}} -> tensor<64x28x28xf32>
func.func @alone(%x: tensor<1x64x30x30xf32>, %c: tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x28x28xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %c : tensor<1x64x30x30xf32>, tensor<64x64x3x3xf32>) outs(%f : tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  return %0 : tensor<1x64x28x28xf32>
}
