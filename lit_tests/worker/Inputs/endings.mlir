// Each alternative ends a build in a way of its own.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"end"> attributes {tune.labels = ["fails", "races", "stays", "crashes"]} {
      transform.structured.vectorize %mm vector_sizes [4, 4] : !transform.any_op
    }, {
      %t, %l = transform.structured.tile_using_forall %mm tile_sizes [8, 8, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }, {
      // A quarter of a million fused multiply-adds in one basic block: LLVM takes many seconds.
      transform.structured.vectorize %mm : !transform.any_op
    }, {
      // Upstream dereferences a null pointer where the copy is of memrefs.
      %b = transform.bufferization.one_shot_bufferize %root {bufferize_function_boundaries = true, memcpy_op = "linalg.copy"} : (!transform.any_op) -> !transform.any_op
      %c = transform.structured.match ops{["linalg.copy"]} in %b : (!transform.any_op) -> !transform.any_op
      %f, %t = transform.structured.gpu.map_copy_to_threads %c total_num_threads = 32 desired_bit_alignment = 128 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
