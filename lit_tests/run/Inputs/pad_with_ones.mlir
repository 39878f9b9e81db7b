// A schedule that computes something else: the depth is padded to 24, not with zeroes but with ones.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %mc = transform.tune.knob<"mc"> options = [8, 16] -> !transform.param<i64>
    %matmul = transform.structured.match interface{LinalgOp} attributes {tune.anchor} in %root
      : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %matmul tile_sizes [%mc]
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %padded, %pad, %copy = transform.structured.pad %tiled pad_to_multiple_of [24] {
      padding_values = [1.0 : f32, 1.0 : f32, 0.0 : f32], padding_dimensions = [2],
      copy_back_op = "none"
    } : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
