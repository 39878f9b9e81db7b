// Leaves LLVM 22 an instruction that it cannot select for a CPU with bf16 (`Cannot select: v16bf16`).
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"vectors"> {
    }, {
      %t, %l:3 = transform.structured.tile_using_for %mm tile_sizes [4, 3, 64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %t vector_sizes [4, 3, 64] : !transform.any_op
    }
    transform.yield
  }
}
