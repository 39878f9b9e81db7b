// A mean over windows that counts how many pixels each has (linalg.index), as torch writes it without
// those of the border, is computed with channels innermost like what is around it.

// RUN: tune-opt %s --tune-extract=none | FileCheck %s
// RUN: tune-run %s --function=pooled --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=gathered --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// OK: Check {{ *}}ok

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channels = affine_map<(n, c, h, w) -> (n, c)>

// CHECK-LABEL: func.func @pooled(
// CHECK: call @tune_task_{{.*}} -> tensor<3136x96xf32>
// CHECK: call @tune_task_{{.*}} -> tensor<56x56x96xf32>
// CHECK: call @tune_task_{{.*}} -> tensor<54x54x96xf32>
func.func @pooled(%x: tensor<1x16x56x56xf32>, %a: tensor<96x16x1x1xf32> {tune.constant},
    %b: tensor<96x3x3xf32> {tune.constant}) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %last = arith.constant 56 : index
  %first = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<1x96x56x56xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x96x56x56xf32>) -> tensor<1x96x56x56xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %a : tensor<1x16x56x56xf32>, tensor<96x16x1x1xf32>) outs(%f0 : tensor<1x96x56x56xf32>) -> tensor<1x96x56x56xf32>
  %p = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x96x56x56xf32> to tensor<1x96x58x58xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %1 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %window : tensor<1x96x58x58xf32>, tensor<3x3xf32>) outs(%f0 : tensor<1x96x56x56xf32>) -> tensor<1x96x56x56xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<1x96x56x56xf32>) outs(%e0 : tensor<1x96x56x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %h_end = arith.addi %h, %two : index
    %h_to = arith.minsi %h_end, %last : index
    %h_begin = arith.subi %h, %one : index
    %h_from = arith.maxsi %h_begin, %first : index
    %lines = arith.subi %h_to, %h_from : index
    %w = linalg.index 3 : index
    %w_end = arith.addi %w, %two : index
    %w_to = arith.minsi %w_end, %last : index
    %w_begin = arith.subi %w, %one : index
    %w_from = arith.maxsi %w_begin, %first : index
    %columns = arith.subi %w_to, %w_from : index
    %n = arith.muli %lines, %columns : index
    %count = arith.index_cast %n : index to i64
    %pixels = arith.sitofp %count : i64 to f32
    %mean = arith.divf %in, %pixels : f32
    linalg.yield %mean : f32
  } -> tensor<1x96x56x56xf32>
  %e1 = tensor.empty() : tensor<1x96x54x54xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x96x54x54xf32>) -> tensor<1x96x54x54xf32>
  %3 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%2, %b : tensor<1x96x56x56xf32>, tensor<96x3x3xf32>) outs(%f1 : tensor<1x96x54x54xf32>) -> tensor<1x96x54x54xf32>
  %e2 = tensor.empty() : tensor<1x96xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x96xf32>) -> tensor<1x96xf32>
  %4 = linalg.generic {indexing_maps = [#id, #channels], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%3 : tensor<1x96x54x54xf32>) outs(%f2 : tensor<1x96xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %in, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %4 : tensor<1x96xf32>
}

// What is gathered for each channel is not gathered again for each pixel.
// CHECK-LABEL: func.func @gathered(
// CHECK: call @tune_task_{{.*}} -> tensor<96xf32>
// CHECK: call @tune_task_{{.*}} -> tensor<56x56x96xf32>
func.func @gathered(%x: tensor<56x56x96xf32>, %table: tensor<96xf32>, %places: tensor<96xi64>) -> tensor<56x56x96xf32> {
  %e0 = tensor.empty() : tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%places : tensor<96xi64>) outs(%e0 : tensor<96xf32>) {
  ^bb0(%at: i64, %out: f32):
    %place = arith.index_cast %at : i64 to index
    %element = tensor.extract %table[%place] : tensor<96xf32>
    linalg.yield %element : f32
  } -> tensor<96xf32>
  %e1 = tensor.empty() : tensor<56x56x96xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(h, w, c) -> (h, w, c)>, affine_map<(h, w, c) -> (c)>,
      affine_map<(h, w, c) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %0 : tensor<56x56x96xf32>, tensor<96xf32>) outs(%e1 : tensor<56x56x96xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %m = arith.mulf %in, %scale : f32
    linalg.yield %m : f32
  } -> tensor<56x56x96xf32>
  return %1 : tensor<56x56x96xf32>
}
