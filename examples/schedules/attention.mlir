// Attention as one loop over heads and blocks of rows: what the three tasks that attention is otherwise
// pass to each other through memory, the scores, stays in the second cache.
//
//   forall  a head, `share` rows of it                          parallel
//     copy K into panels of nr columns, turned in registers
//     for   mc rows                                             mc x sequence scores, on the stack
//       for   nr scores / mr rows                               scores and scale: mr x nr in registers
//         for   kr of the width
//       for   one row                                           softmax: vectors, partial results in a vector
//       for   nr columns / mr rows                              times V, which is read in place
//         for   kr of the sequence
//
// For a function of these ops over tensors of f32, in this order, Q, K and V being heads x sequence x width:
//
//   scores = generic [head, row, column, width]: fill + Q * K       softmax = linalg.softmax dimension(2)
//   scaled = generic [head, row, column]: scores * scale            result = batch_matmul: fill + softmax * V
//
// as in examples/attention_12x1024x64_f32.mlir. All tile sizes divide what they divide: the sequence is a
// multiple of `share`, or less than that and a multiple of mc and nr; the width is a multiple of nr and kr.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @attention_tensors(%func: !transform.any_op {transform.consumed}) {
    %share = transform.tune.knob<"share"> options = #tune.parallel<[64, 128, 256, 512, 1024]>
      {tune.default = 1024 : i64, tune.level = "linalg"} -> !transform.param<i64>
    %mc = transform.tune.knob<"mc"> options = #tune.tile<[16, 32, 64, 128]>
      {tune.default = 32 : i64, tune.level = "linalg"} -> !transform.param<i64>
    %mr = transform.tune.knob<"mr"> options = #tune.tile<[4, 8]>
      {tune.default = 8 : i64, tune.level = "vector"} -> !transform.param<i64>
    %nr = transform.tune.knob<"nr"> options = #tune.tile<[16, 32, 64]>
      {tune.default = 32 : i64, tune.level = "vector"} -> !transform.param<i64>
    %kr = transform.tune.knob<"kr"> options = #tune.unroll<[1, 2, 4, 8]>
      {tune.default = 4 : i64, tune.level = "vector"} -> !transform.param<i64>
    %vector = transform.tune.knob<"vector"> options = #tune.vectorize<[16, 32, 64]>
      {tune.default = 32 : i64, tune.level = "vector"} -> !transform.param<i64>
    transform.smt.constrain_params(%mr, %nr)
      {tune.why = "accumulators, one row of B and one element of A fit 32 registers of 16 elements"}
      : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%mr_: !smt.int, %nr_: !smt.int):
      %lanes = smt.int.constant 16
      %one = smt.int.constant 1
      %registers = smt.int.constant 32
      %vectors = smt.int.div %nr_, %lanes
      %tile = smt.int.mul %mr_, %vectors
      %used = smt.int.add %tile, %vectors, %one
      %fits = smt.int.cmp le %used, %registers
      smt.assert %fits
    }

    // The ops by what they are, to be found again in the loops.
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %func
      : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %softmax
      : (!transform.any_op) -> !transform.any_op
    %product = transform.structured.match ops{["linalg.batch_matmul"]} in %func
      : (!transform.any_op) -> !transform.any_op
    %product_generic = transform.structured.generalize %product
      : (!transform.any_op) -> !transform.any_op
    %fills = transform.structured.match ops{["linalg.fill"]} in %func
      : (!transform.any_op) -> !transform.any_op
    %score_start, %max_start, %sum_start, %result_start = transform.split_handle %fills
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.annotate %score_start "attention.start" : !transform.any_op
    transform.annotate %result_start "attention.start" : !transform.any_op
    %generics = transform.structured.match ops{["linalg.generic"]} in %func
      : (!transform.any_op) -> !transform.any_op
    %scores, %scaled, %max, %exp, %sum, %weights, %result = transform.split_handle %generics
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op,
         !transform.any_op, !transform.any_op, !transform.any_op)
    transform.annotate %scores "attention.scores" : !transform.any_op
    transform.annotate %scaled "attention.scaled" : !transform.any_op
    transform.annotate %weights "attention.weights" : !transform.any_op
    transform.annotate %result "attention.result" : !transform.any_op

    // Heads and rows. Each producer is copied for each of its uses; the cleanup makes one of the copies.
    %head, %heads = transform.structured.fuse %result tile_sizes [1, %share, 0, 0] {use_forall}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.include @attention_cleanup failures(propagate) (%func) : (!transform.any_op) -> ()
    %whole = transform.structured.match attributes{attention.result} in %func
      : (!transform.any_op) -> !transform.any_op
    %rows, %row_loop = transform.structured.fuse %whole tile_sizes [0, %mc, 0, 0]
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.include @attention_cleanup failures(propagate) (%func) : (!transform.any_op) -> ()

    // Scores. Their panels of K leave all three loops, so that they are made once a share.
    %block = transform.structured.match attributes{attention.scaled} in %func
      : (!transform.any_op) -> !transform.any_op
    %score_tile, %score_loops:2 = transform.structured.fuse %block tile_sizes [0, %mr, %nr]
      interchange [2, 1, 0] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
      -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %score = transform.structured.match attributes{attention.scores} in %score_loops#1
      : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %score_loops#0 : !transform.any_op
    %padded, %pads, %copy_back = transform.structured.pad %score pad_to_multiple_of [%nr, 1] {
        padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32], padding_dimensions = [2, 3],
        nofold_flags = [0, 1, 0], copy_back_op = "none"}
      : (!transform.any_op, !transform.param<i64>)
      -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %pad = transform.get_producer_of_operand %padded[1]
      : (!transform.any_op) -> !transform.op<"tensor.pad">
    %panels = transform.structured.hoist_pad %pad by 3 loops, transpose by [0, 2, 1]
      : (!transform.op<"tensor.pad">) -> !transform.any_op
    %back = transform.structured.match ops{["linalg.transpose"]} in %score_loops#1
      : (!transform.any_op) -> !transform.any_op
    %back_generic = transform.structured.generalize %back : (!transform.any_op) -> !transform.any_op

    // Softmax, a row at a time. It ends at the loops of the scores, which cannot be fused.
    %chain = transform.structured.match attributes{attention.weights} in %func
      : (!transform.any_op) -> !transform.any_op
    %line, %line_loop = transform.structured.fuse %chain tile_sizes [0, 1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @attention_cleanup failures(propagate) (%func) : (!transform.any_op) -> ()

    // The product with V.
    %last = transform.structured.match attributes{attention.result} in %func
      : (!transform.any_op) -> !transform.any_op
    %result_tile, %result_loops:2 = transform.structured.fuse %last tile_sizes [0, %mr, %nr, 0]
      interchange [2, 1, 0, 3] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
      -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.include @attention_cleanup failures(propagate) (%func) : (!transform.any_op) -> ()

    // Folds the transpose of a panel into the indexing of the product that reads it.
    %folded = transform.apply_registered_pass "linalg-fuse-elementwise-ops" to %func
      : (!transform.any_op) -> !transform.any_op
    transform.include @attention_cleanup failures(propagate) (%folded) : (!transform.any_op) -> ()
    %transpose = transform.structured.match ops{["linalg.transpose"]} in %folded
      : (!transform.any_op) -> !transform.any_op
    %square, %square_loops:3 = transform.structured.fuse %transpose tile_sizes [1, 16, 16]
      : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %source = transform.structured.match ops{["tensor.pad"]} in %square_loops#0
      : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %source vector_sizes [1, 16, 16] : !transform.any_op
    transform.structured.vectorize %square vector_sizes [1, 16, 16] : !transform.any_op

    // A fill that keeps its unit dimension does not meet the product in registers.
    %starts = transform.structured.match ops{["linalg.fill"]} attributes{attention.start} in %folded
      : (!transform.any_op) -> !transform.any_op
    %starts_generic = transform.structured.generalize %starts
      : (!transform.any_op) -> !transform.any_op
    // The weights go straight into their block; after the next patterns this would not be seen.
    transform.bufferization.eliminate_empty_tensors %folded : !transform.any_op
    transform.apply_patterns to %folded {
      transform.apply_patterns.tensor.fold_tensor_empty
    } : !transform.any_op
    transform.apply_patterns to %folded {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op

    // Before the partial results, which are elementwise too.
    %lines = transform.structured.match ops{["linalg.generic"]}
      attributes{iterator_types = [#linalg.iterator_type<parallel>]} in %folded
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %lines : !transform.any_op {
    ^bb0(%each_line: !transform.any_op):
      %line_step, %line_steps = transform.structured.tile_using_for %each_line tile_sizes [%vector]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    }
    %sums = transform.structured.match ops{["linalg.generic"]}
      attributes{iterator_types = [#linalg.iterator_type<reduction>]} in %folded
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %sums : !transform.any_op {
    ^bb0(%each_sum: !transform.any_op):
      %start, %part, %end, %part_loop =
        transform.structured.tile_reduction_using_for %each_sum by tile_sizes = [64]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }
    %products = transform.structured.match ops{["linalg.generic"]}
      attributes{iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>,
                                   #linalg.iterator_type<reduction>]} in %folded
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %products : !transform.any_op {
    ^bb0(%each_product: !transform.any_op):
      %product_step, %product_steps =
        transform.structured.tile_using_for %each_product tile_sizes [0, 0, %kr]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    }
    transform.include @attention_cleanup failures(propagate) (%folded) : (!transform.any_op) -> ()
    %ops = transform.structured.match interface{LinalgOp} in %folded
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %ops : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.structured.vectorize %op : !transform.any_op
    }

    // Contractions recognised, accumulators in registers, while all is still on tensors. The first two
    // without canonicalization, which turns reductions over a unit dimension into shape_casts.
    transform.apply_patterns to %folded {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %folded {
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    } : !transform.any_op
    transform.apply_patterns to %folded {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } {apply_cse} : !transform.any_op
    %hoist = transform.structured.match interface{LoopLikeInterface} in %folded
      : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %hoist : !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %hoist : !transform.any_op
    transform.apply_patterns to %folded {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.bufferization.eliminate_empty_tensors %folded : !transform.any_op
    transform.yield
  }

  transform.named_sequence @attention_buffers(%func: !transform.any_op {transform.consumed}) {
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.drop_unit_dims_with_shape_cast
    } : !transform.any_op
    transform.bufferization.buffer_loop_hoisting %func : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.vector.lower_masks
    } : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
    } : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.lower_multi_reduction lowering_strategy = "innerreduction"
      transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.vector.lower_transpose lowering_strategy = "shuffle_16x16"
    } : !transform.any_op
    // Scores and panels: at most 768 KiB of stack for a sequence of 1024.
    %stack = transform.param.constant 524288 : i64 -> !transform.param<i64>
    %placed = transform.apply_registered_pass "promote-buffers-to-stack"
      with options = { "max-alloc-size-in-bytes" = %stack } to %func
      : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    // exp as a polynomial: docs/accuracy.md.
    %polynomial = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.annotate %placed "tune.math.polynomial" = %polynomial
      : !transform.any_op, !transform.param<i64>
    transform.yield
  }

  transform.named_sequence @attention_cleanup(%func: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } {apply_cse} : !transform.any_op
    transform.yield
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %task = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    transform.include @attention_tensors failures(propagate) (%task) : (!transform.any_op) -> ()
    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %root
      {bufferize_function_boundaries = true, memcpy_op = "linalg.copy"}
      : (!transform.any_op) -> !transform.any_op
    %func = transform.structured.match ops{["func.func"]} in %buffers
      : (!transform.any_op) -> !transform.any_op
    transform.include @attention_buffers failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}
