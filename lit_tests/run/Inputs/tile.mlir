// A schedule that is right.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %mc = transform.tune.knob<"mc"> options = [8, 16, 32] -> !transform.param<i64>
    %matmul = transform.structured.match interface{LinalgOp} attributes {tune.anchor} in %root
      : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %matmul tile_sizes [%mc]
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
