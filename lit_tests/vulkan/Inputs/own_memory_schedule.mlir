module attributes {transform.with_named_sequence} {
  transform.named_sequence @tune_tensors(%arg0: !transform.any_op {transform.consumed}) {
    %0 = transform.include @tune_prepare failures(propagate) (%arg0) : (!transform.any_op) -> !transform.any_op
    %1 = transform.tune.knob<"mr"> options = #tune.tile<[2, 4, 8, 16]> {tune.default = 16 : i64, tune.level = "vector"} -> !transform.param<i64>
    %2 = transform.tune.knob<"nr"> options = #tune.tile<[4, 8, 16]> {tune.default = 4 : i64, tune.level = "vector"} -> !transform.param<i64>
    %3 = transform.tune.knob<"kr"> options = #tune.unroll<[1, 2, 4, 8, 16]> {tune.default = 8 : i64, tune.level = "vector"} -> !transform.param<i64>
    transform.smt.constrain_params(%1, %2) {tune.why = "the accumulators of an invocation fit its registers"} : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%arg1: !smt.int, %arg2: !smt.int):
      %c128 = smt.int.constant 128
      %16 = smt.int.mul %arg1, %arg2
      %17 = smt.int.cmp le %16, %c128
      smt.assert %17
    }
    transform.smt.constrain_params(%1, %2, %3) {tune.why = "a longer body takes seconds to compile"} : (!transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%arg1: !smt.int, %arg2: !smt.int, %arg3: !smt.int):
      %c1024 = smt.int.constant 1024
      %16 = smt.int.mul %arg1, %arg2, %arg3
      %17 = smt.int.cmp le %16, %c1024
      smt.assert %17
    }
    %4 = transform.tune.knob<"group_x"> options = #tune.parallel<[8]> {tune.default = 8 : i64, tune.level = "gpu"} -> !transform.param<i64>
    %5 = transform.tune.knob<"group_y"> options = #tune.parallel<[1]> {tune.default = 1 : i64, tune.level = "gpu"} -> !transform.param<i64>
    transform.smt.constrain_params(%4, %5) {tune.why = "a group has no more invocations than the device allows"} : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%arg1: !smt.int, %arg2: !smt.int):
      %c1024 = smt.int.constant 1024
      %16 = smt.int.mul %arg1, %arg2
      %17 = smt.int.cmp le %16, %c1024
      smt.assert %17
    }
    %6 = transform.structured.match ops{["linalg.generic"]} in %0 : (!transform.any_op) -> !transform.any_op
    %7:3 = transform.split_handle %6 : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %tiled_op, %forall_op = transform.structured.tile_using_forall %7#2 tile_sizes [1, %1, %2] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %fused_op, %new_containing_op = transform.structured.fuse_into_containing_op %7#1 into %forall_op : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused_op_0, %new_containing_op_1 = transform.structured.fuse_into_containing_op %7#0 into %new_containing_op : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %8 = transform.param.constant [#gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>] -> !transform.any_param
    transform.annotate %new_containing_op_1 "mapping" = %8 : !transform.any_op, !transform.any_param
    transform.annotate %new_containing_op_1 "tune.group_x" = %4 : !transform.any_op, !transform.param<i64>
    transform.annotate %new_containing_op_1 "tune.group_y" = %5 : !transform.any_op, !transform.param<i64>
    transform.apply_patterns to %0 {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } {apply_cse} : !transform.any_op
    %9 = transform.structured.match ops{["linalg.generic"]} attributes {iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>]} in %0 : (!transform.any_op) -> !transform.any_op
    transform.foreach %9 : !transform.any_op {
    ^bb0(%arg1: !transform.any_op):
      %tiled_linalg_op, %loops:3 = transform.structured.tile_using_for %arg1 tile_sizes [0, 0, 0, 1, 1, %3] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      %tiled_linalg_op_2, %loops_3 = transform.structured.tile_using_for %tiled_linalg_op tile_sizes [0, 1, 0, 0, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.annotate %loops_3 "tune.unroll" : !transform.any_op
    }
    transform.apply_patterns to %0 {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } {apply_cse} : !transform.any_op
    %10 = transform.structured.match ops{["scf.for"]} attributes {tune.unroll} in %0 : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %10 {factor = 2 : i64} : !transform.any_op
    %11 = transform.structured.match ops{["scf.for"]} attributes {tune.unroll} in %0 : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %11 {factor = 2 : i64} : !transform.any_op
    %12 = transform.structured.match ops{["scf.for"]} attributes {tune.unroll} in %0 : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %12 {factor = 2 : i64} : !transform.any_op
    %13 = transform.structured.match ops{["scf.for"]} attributes {tune.unroll} in %0 : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %13 {factor = 2 : i64} : !transform.any_op
    transform.apply_patterns to %0 {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } {apply_cse} : !transform.any_op
    transform.apply_patterns to %0 {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.apply_patterns to %0 {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } {apply_cse} : !transform.any_op
    %14 = transform.structured.match ops{["scf.forall"]} in %0 : (!transform.any_op) -> !transform.any_op
    transform.foreach %14 : !transform.any_op {
    ^bb0(%arg1: !transform.any_op):
      %16 = transform.structured.match ops{["linalg.generic", "linalg.fill", "linalg.pack"]} in %arg1 : (!transform.any_op) -> !transform.any_op
      transform.foreach %16 : !transform.any_op {
      ^bb0(%arg2: !transform.any_op):
        transform.sequence %arg2 : !transform.any_op failures(suppress) {
        ^bb0(%arg3: !transform.any_op):
          transform.structured.vectorize %arg3 : !transform.any_op
        }
      }
    }
    transform.apply_patterns to %0 {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %0 {
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    } : !transform.any_op
    transform.apply_patterns to %0 {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } {apply_cse} : !transform.any_op
    %15 = transform.structured.match interface{LoopLikeInterface} in %0 : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %15 : !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %15 : !transform.any_op
    transform.apply_patterns to %0 {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.bufferization.eliminate_empty_tensors %0 : !transform.any_op
    transform.yield 
  }
  transform.named_sequence @tune_buffers(%arg0: !transform.any_op {transform.consumed}) {
    transform.apply_patterns to %arg0 {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    %0 = transform.apply_registered_pass "fold-memref-alias-ops" to %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.apply_registered_pass "affine-expand-index-ops-as-affine" to %0 : (!transform.any_op) -> !transform.any_op
    %2 = transform.apply_registered_pass "canonicalize" to %1 : (!transform.any_op) -> !transform.any_op
    %3 = transform.tune.knob<"texels"> options = [0, 134217728] {tune.default = 134217728 : i64, tune.level = "gpu"} -> !transform.param<i64>
    transform.annotate %2 "tune.gpu.texels" = %3 : !transform.any_op, !transform.param<i64>
    %4 = transform.tune.knob<"pairs"> options = [0, 1] {tune.default = 0 : i64, tune.level = "gpu"} -> !transform.param<i64>
    transform.annotate %2 "tune.gpu.pairs" = %4 : !transform.any_op, !transform.param<i64>
    %5 = transform.tune.knob<"share"> options = [0, 8] {tune.default = 8 : i64, tune.level = "gpu"} -> !transform.param<i64>
    transform.annotate %2 "tune.gpu.share" = %5 : !transform.any_op, !transform.param<i64>
    %6 = transform.tune.knob<"spirv_opt"> options = ["none", "performance", "size", "unroll"] {tune.default = "performance", tune.level = "target"} -> !transform.any_param
    transform.annotate %2 "tune.spirv.opt" = %6 : !transform.any_op, !transform.any_param
    transform.yield 
  }
  transform.named_sequence @tune_prepare(%arg0: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %0 = transform.structured.match ops{["linalg.pack"]} in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.foreach %0 : !transform.any_op {
    ^bb0(%arg1: !transform.any_op):
      %7 = transform.cast %arg1 : !transform.any_op to !transform.op<"linalg.pack">
      %pad_op, %expand_shape_op, %transpose_op = transform.structured.lower_pack %7 : (!transform.op<"linalg.pack">) -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    }
    %1 = transform.structured.match ops{["linalg.unpack"]} in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.foreach %1 : !transform.any_op {
    ^bb0(%arg1: !transform.any_op):
      %7 = transform.cast %arg1 : !transform.any_op to !transform.op<"linalg.unpack">
      %empty_op, %transpose_op, %collapse_shape_op, %extract_slice_op = transform.structured.lower_unpack %7 : (!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    }
    %2 = transform.structured.match ops{["linalg.softmax"]} in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.structured.decompose_interface %2 : (!transform.any_op) -> !transform.any_op
    %4 = transform.structured.match ops{["linalg.transpose", "linalg.broadcast", "linalg.map", "linalg.reduce", "linalg.elementwise", "linalg.copy", "linalg.contract", "linalg.matmul", "linalg.batch_matmul", "linalg.batch_reduce_matmul", "linalg.matvec", "linalg.vecmat", "linalg.batch_matvec", "linalg.batch_vecmat", "linalg.dot", "linalg.mmt4d", "linalg.batch_mmt4d", "linalg.quantized_matmul", "linalg.quantized_batch_matmul", "linalg.add", "linalg.sub", "linalg.mul", "linalg.div", "linalg.div_unsigned", "linalg.max", "linalg.min", "linalg.exp", "linalg.log", "linalg.abs", "linalg.ceil", "linalg.floor", "linalg.negf", "linalg.reciprocal", "linalg.round", "linalg.sqrt", "linalg.rsqrt", "linalg.square", "linalg.tanh", "linalg.erf", "linalg.powf", "linalg.select", "linalg.conv_1d", "linalg.conv_2d", "linalg.conv_3d", "linalg.conv_1d_nwc_wcf", "linalg.conv_1d_ncw_fcw", "linalg.conv_2d_nhwc_hwcf", "linalg.conv_2d_nhwc_fhwc", "linalg.conv_2d_nchw_fchw", "linalg.conv_2d_ngchw_fgchw", "linalg.conv_2d_ngchw_gfchw", "linalg.conv_3d_ndhwc_dhwcf", "linalg.conv_3d_ncdhw_fcdhw", "linalg.depthwise_conv_1d_nwc_wc", "linalg.depthwise_conv_1d_ncw_cw", "linalg.depthwise_conv_2d_nhwc_hwc", "linalg.depthwise_conv_2d_nchw_chw", "linalg.depthwise_conv_2d_nhwc_hwcm", "linalg.pooling_nhwc_sum", "linalg.pooling_nhwc_max", "linalg.pooling_nhwc_min", "linalg.pooling_nchw_sum", "linalg.pooling_nchw_max", "linalg.pooling_nwc_sum", "linalg.pooling_nwc_max", "linalg.pooling_ncw_sum", "linalg.pooling_ncw_max"]} in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.structured.generalize %4 : (!transform.any_op) -> !transform.any_op
    %6 = transform.apply_registered_pass "linalg-fuse-elementwise-ops" to %arg0 : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %6 {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.yield %6 : !transform.any_op
  }
  transform.named_sequence @__transform_main(%arg0: !transform.any_op {transform.consumed}) {
    %0 = transform.structured.match ops{["func.func"]} in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.include @tune_tensors failures(propagate) (%0) : (!transform.any_op) -> ()
    %1 = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %arg0 {bufferize_function_boundaries = true, memcpy_op = "linalg.copy"} : (!transform.any_op) -> !transform.any_op
    %2 = transform.structured.match ops{["func.func"]} in %1 : (!transform.any_op) -> !transform.any_op
    transform.include @tune_buffers failures(propagate) (%2) : (!transform.any_op) -> ()
    transform.yield 
  }
}

