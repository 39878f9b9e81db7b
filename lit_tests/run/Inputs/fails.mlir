// The default does not build.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"works"> {
      transform.structured.vectorize %op vector_sizes [4, 4] : !transform.any_op
    }, {
      %tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes [4, 8, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
