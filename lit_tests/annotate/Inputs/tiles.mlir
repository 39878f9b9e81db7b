// A schedule of a user: a matmul in tiles, the sizes and the order of the loops left open.
module attributes {transform.with_named_sequence, tune.for = ["contraction"]} {
  transform.named_sequence @tune_tensors(%function: !transform.any_op {transform.readonly}) {
    %mc = transform.tune.knob<"mc"> options = #tune.tile<[8, 16, 32]> {tune.default = 16 : i64} -> !transform.param<i64>
    %nc = transform.tune.knob<"nc"> options = #tune.tile<[8, 16, 32]> {tune.default = 16 : i64} -> !transform.param<i64>
    transform.smt.constrain_params(%mc, %nc) {tune.why = "a tile has 512 elements at most"} : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%mc_: !smt.int, %nc_: !smt.int):
      %limit = smt.int.constant 512
      %size = smt.int.mul %mc_, %nc_
      %fits = smt.int.cmp le %size, %limit
      smt.assert %fits
    }
    %op = transform.structured.match ops{["linalg.generic"]} attributes{iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]} in %function : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"order"> attributes {tune.labels = ["rows", "columns"]} {
      %tile, %loops:2 = transform.structured.tile_using_for %op tile_sizes [%mc, %nc, 0] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    }, {
      %tile, %loops:2 = transform.structured.tile_using_for %op tile_sizes [%mc, %nc, 0] interchange = [1, 0, 2] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    }
    %level = transform.tune.knob<"level"> options = [2, 3] {tune.level = "target", tune.default = 3 : i64} -> !transform.param<i64>
    transform.annotate %function "tune.llvm.opt_level" = %level : !transform.any_op, !transform.param<i64>
    transform.yield
  }
  transform.named_sequence @tune_buffers(%function: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %function = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.include @tune_tensors failures(propagate) (%function) : (!transform.any_op) -> ()
    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %root {bufferize_function_boundaries = true} : (!transform.any_op) -> !transform.any_op
    %lowered = transform.structured.match ops{["func.func"]} in %buffers : (!transform.any_op) -> !transform.any_op
    transform.include @tune_buffers failures(propagate) (%lowered) : (!transform.any_op) -> ()
    transform.yield
  }
}
