// Element by element, which is the default, and vectors, which are 25 times as fast (with 16 columns the
// former are made vectors, too: no winner on a busy machine). Only these have the knob
// "rows".
module attributes {transform.with_named_sequence, tune.for = ["contraction"]} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %anchor = transform.structured.match interface{LinalgOp} attributes {tune.anchor} in %root
      : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"form"> attributes {tune.labels = ["elements", "vectors"]} {
      %element, %around:2 = transform.structured.tile_using_for %anchor tile_sizes [1, 1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield
    }, {
      %rows = transform.tune.knob<"rows"> options = #tune.tile<[4, 8]> -> !transform.param<i64>
      %tile, %loops:3 = transform.structured.tile_using_for %anchor tile_sizes [%rows, 16, 1]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %tile : !transform.any_op
      transform.yield
    }
    %function = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.yield
  }
}
