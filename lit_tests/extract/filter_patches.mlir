// Where images have channels innermost, a convolution by a large constant filter of a window with a stride, or
// other than 3x3, or of few pixels, is a product of patches, with what follows. Not by a filter that is no
// constant, or small, nor where it adds to something else than a fill or a bias.
// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=stride --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=stride --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=window --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=bias --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=whole --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#pooled = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#channel = affine_map<(d0, d1, d2, d3) -> (d1)>

// CHECK-LABEL: func.func @stride(
// CHECK: call @tune_task_{{.*}} -> tensor<3x3x192x96xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<16x16x192xf32>, tensor<7x7x3x3x192xf32>) -> tensor<7x7x3x3x192xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<49x1728xf32>, tensor<1728x96xf32>, tensor<96xf32>, {{.*}} -> tensor<49x96xf32>
// CHECK: call @tune_task_{{.*}} -> tensor<96xf32>
// CHECK-NOT: call
// CHECK: return
func.func @stride(%x: tensor<1x16x14x14xf32>, %a: tensor<192x16x1x1xf32> {tune.constant},
    %b: tensor<96x192x3x3xf32> {tune.constant}, %bias: tensor<96xf32>) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x192x14x14xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x14x14xf32>, tensor<192x16x1x1xf32>) outs(%f0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %p = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x192x14x14xf32> to tensor<1x192x16x16xf32>
  %e1 = tensor.empty() : tensor<1x96x7x7xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x96x7x7xf32>) -> tensor<1x96x7x7xf32>
  %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %b : tensor<1x192x16x16xf32>, tensor<96x192x3x3xf32>) outs(%f1 : tensor<1x96x7x7xf32>) -> tensor<1x96x7x7xf32>
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<1x96x7x7xf32>, tensor<96xf32>) outs(%e1 : tensor<1x96x7x7xf32>) {
  ^bb0(%in: f32, %v: f32, %o: f32):
    %s = arith.addf %in, %v : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x96x7x7xf32>
  %e2 = tensor.empty() : tensor<1x96xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x96xf32>) -> tensor<1x96xf32>
  %3 = linalg.generic {indexing_maps = [#id, #pooled], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%2 : tensor<1x96x7x7xf32>) outs(%f2 : tensor<1x96xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %in, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %3 : tensor<1x96xf32>
}

// CHECK-LABEL: func.func @window(
// CHECK: call @tune_task_{{.*}} : (tensor<18x18x64xf32>, {{.*}} -> tensor<14x14x5x5x64xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<196x1600xf32>, tensor<1600x64xf32>, tensor<64xf32>, {{.*}} -> tensor<196x64xf32>
func.func @window(%x: tensor<1x16x14x14xf32>, %a: tensor<64x16x1x1xf32> {tune.constant},
    %b: tensor<64x64x5x5xf32> {tune.constant}, %bias: tensor<64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x64x14x14xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x14x14xf32>, tensor<64x16x1x1xf32>) outs(%f0 : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %p = tensor.pad %0 low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x64x14x14xf32> to tensor<1x64x18x18xf32>
  %e1 = tensor.empty() : tensor<1x64x14x14xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %b : tensor<1x64x18x18xf32>, tensor<64x64x5x5xf32>) outs(%f1 : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<1x64x14x14xf32>, tensor<64xf32>) outs(%e1 : tensor<1x64x14x14xf32>) {
  ^bb0(%in: f32, %v: f32, %o: f32):
    %s = arith.addf %in, %v : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x64x14x14xf32>
  %e2 = tensor.empty() : tensor<1x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x64xf32>) -> tensor<1x64xf32>
  %3 = linalg.generic {indexing_maps = [#id, #pooled], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%2 : tensor<1x64x14x14xf32>) outs(%f2 : tensor<1x64xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %in, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x64xf32>
  return %3 : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @bias(
// CHECK: call @tune_task_{{.*}} -> tensor<3x3x192x96xf32>
// CHECK: call @tune_task_{{.*}} : (tensor<49x1728xf32>, tensor<1728x96xf32>, tensor<96xf32>, {{.*}} -> tensor<49x96xf32>
func.func @bias(%x: tensor<1x16x14x14xf32>, %a: tensor<192x16x1x1xf32> {tune.constant},
    %b: tensor<96x192x3x3xf32> {tune.constant}, %bias: tensor<96xf32>) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x192x14x14xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x14x14xf32>, tensor<192x16x1x1xf32>) outs(%f0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %p = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x192x14x14xf32> to tensor<1x192x16x16xf32>
  %e1 = tensor.empty() : tensor<1x96x7x7xf32>
  %f1 = linalg.generic {indexing_maps = [#channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<96xf32>) outs(%e1 : tensor<1x96x7x7xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<1x96x7x7xf32>
  %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %b : tensor<1x192x16x16xf32>, tensor<96x192x3x3xf32>) outs(%f1 : tensor<1x96x7x7xf32>) -> tensor<1x96x7x7xf32>
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<1x96x7x7xf32>, tensor<96xf32>) outs(%e1 : tensor<1x96x7x7xf32>) {
  ^bb0(%in: f32, %v: f32, %o: f32):
    %s = arith.addf %in, %v : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x96x7x7xf32>
  %e2 = tensor.empty() : tensor<1x96xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x96xf32>) -> tensor<1x96xf32>
  %3 = linalg.generic {indexing_maps = [#id, #pooled], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%2 : tensor<1x96x7x7xf32>) outs(%f2 : tensor<1x96xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %in, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %3 : tensor<1x96xf32>
}

// CHECK-LABEL: func.func @whole(
// CHECK: call @tune_task_{{.*}} -> tensor<3x3x192x96xf32>
// CHECK: call @tune_task_{{.*}} -> tensor<7x7x96xf32>
func.func @whole(%x: tensor<1x16x14x14xf32>, %a: tensor<192x16x1x1xf32> {tune.constant},
    %b: tensor<96x192x3x3xf32> {tune.constant}, %bias: tensor<96xf32>) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x192x14x14xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x14x14xf32>, tensor<192x16x1x1xf32>) outs(%f0 : tensor<1x192x14x14xf32>) -> tensor<1x192x14x14xf32>
  %p = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x192x14x14xf32> to tensor<1x192x16x16xf32>
  %e1 = tensor.empty() : tensor<1x96x7x7xf32>
  %f1 = linalg.generic {indexing_maps = [#channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<96xf32>) outs(%e1 : tensor<1x96x7x7xf32>) {
  ^bb0(%in: f32, %o: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<1x96x7x7xf32>
  %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %b : tensor<1x192x16x16xf32>, tensor<96x192x3x3xf32>) outs(%f1 : tensor<1x96x7x7xf32>) -> tensor<1x96x7x7xf32>
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<1x96x7x7xf32>, tensor<96xf32>) outs(%e1 : tensor<1x96x7x7xf32>) {
  ^bb0(%in: f32, %v: f32, %o: f32):
    %s = arith.addf %in, %v : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x96x7x7xf32>
  %e2 = tensor.empty() : tensor<1x96xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x96xf32>) -> tensor<1x96xf32>
  %3 = linalg.generic {indexing_maps = [#id, #pooled], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%2 : tensor<1x96x7x7xf32>) outs(%f2 : tensor<1x96xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %in, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %3 : tensor<1x96xf32>
}
