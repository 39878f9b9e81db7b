// Each alternative ends a build in a way of its own; the first and the last go well, the first is slow.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile(%op: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %t, %l = transform.structured.tile_using_for %op tile_sizes [64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield %t : !transform.any_op
  }
  transform.named_sequence @tile8(%0: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %1 = transform.include @tile failures(propagate) (%0) : (!transform.any_op) -> !transform.any_op
    %2 = transform.include @tile failures(propagate) (%1) : (!transform.any_op) -> !transform.any_op
    %3 = transform.include @tile failures(propagate) (%2) : (!transform.any_op) -> !transform.any_op
    %4 = transform.include @tile failures(propagate) (%3) : (!transform.any_op) -> !transform.any_op
    %5 = transform.include @tile failures(propagate) (%4) : (!transform.any_op) -> !transform.any_op
    %6 = transform.include @tile failures(propagate) (%5) : (!transform.any_op) -> !transform.any_op
    %7 = transform.include @tile failures(propagate) (%6) : (!transform.any_op) -> !transform.any_op
    %8 = transform.include @tile failures(propagate) (%7) : (!transform.any_op) -> !transform.any_op
    transform.yield %8 : !transform.any_op
  }
  transform.named_sequence @tile64(%0: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %1 = transform.include @tile8 failures(propagate) (%0) : (!transform.any_op) -> !transform.any_op
    %2 = transform.include @tile8 failures(propagate) (%1) : (!transform.any_op) -> !transform.any_op
    %3 = transform.include @tile8 failures(propagate) (%2) : (!transform.any_op) -> !transform.any_op
    %4 = transform.include @tile8 failures(propagate) (%3) : (!transform.any_op) -> !transform.any_op
    %5 = transform.include @tile8 failures(propagate) (%4) : (!transform.any_op) -> !transform.any_op
    %6 = transform.include @tile8 failures(propagate) (%5) : (!transform.any_op) -> !transform.any_op
    %7 = transform.include @tile8 failures(propagate) (%6) : (!transform.any_op) -> !transform.any_op
    %8 = transform.include @tile8 failures(propagate) (%7) : (!transform.any_op) -> !transform.any_op
    transform.yield %8 : !transform.any_op
  }
  transform.named_sequence @tile512(%0: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %1 = transform.include @tile64 failures(propagate) (%0) : (!transform.any_op) -> !transform.any_op
    %2 = transform.include @tile64 failures(propagate) (%1) : (!transform.any_op) -> !transform.any_op
    %3 = transform.include @tile64 failures(propagate) (%2) : (!transform.any_op) -> !transform.any_op
    %4 = transform.include @tile64 failures(propagate) (%3) : (!transform.any_op) -> !transform.any_op
    %5 = transform.include @tile64 failures(propagate) (%4) : (!transform.any_op) -> !transform.any_op
    %6 = transform.include @tile64 failures(propagate) (%5) : (!transform.any_op) -> !transform.any_op
    %7 = transform.include @tile64 failures(propagate) (%6) : (!transform.any_op) -> !transform.any_op
    %8 = transform.include @tile64 failures(propagate) (%7) : (!transform.any_op) -> !transform.any_op
    transform.yield %8 : !transform.any_op
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"end"> {
      // A third dimension of 64 in memory, added up later: so slow that no noise is in doubt of the last.
      %s0, %s1, %s2, %s3 = transform.structured.split_reduction %mm {split_factor = 64, insert_split_dimension = 2} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }, {
      transform.structured.vectorize %mm vector_sizes [4, 4] : !transform.any_op
    }, {
      // Upstream dereferences a null pointer where the copy is of memrefs.
      %b = transform.bufferization.one_shot_bufferize %root {bufferize_function_boundaries = true, memcpy_op = "linalg.copy"} : (!transform.any_op) -> !transform.any_op
      %c = transform.structured.match ops{["linalg.copy"]} in %b : (!transform.any_op) -> !transform.any_op
      %f, %t = transform.structured.gpu.map_copy_to_threads %c total_num_threads = 32 desired_bit_alignment = 128 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }, {
      // What is lowered goes loop by loop, each within the other, until the stack is full.
      %t = transform.include @tile512 failures(propagate) (%mm) : (!transform.any_op) -> !transform.any_op
    }, {
      // A quarter of a million fused multiply-adds in one basic block: LLVM takes many seconds.
      transform.structured.vectorize %mm : !transform.any_op
    }, {
      // Prints for as long as it may.
      %t, %l:3 = transform.structured.tile_using_for %mm tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      %all = transform.merge_handles %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0, %l#0 : !transform.any_op
    transform.foreach %all : !transform.any_op {
    ^bb0(%x5: !transform.any_op):
      transform.foreach %all : !transform.any_op {
      ^bb0(%x4: !transform.any_op):
        transform.foreach %all : !transform.any_op {
        ^bb0(%x3: !transform.any_op):
          transform.foreach %all : !transform.any_op {
          ^bb0(%x2: !transform.any_op):
            transform.foreach %all : !transform.any_op {
            ^bb0(%x1: !transform.any_op):
              transform.foreach %all : !transform.any_op {
              ^bb0(%x0: !transform.any_op):
                transform.print %root : !transform.any_op
              }
            }
          }
        }
      }
    }
    }, {
      // Asks how long a scalable vector is, which no instruction of x86 tells.
      %t, %l:3 = transform.structured.tile_using_for %mm tile_sizes [8, [16], 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }, {
      // A quarter of a million copies of the loops' body.
      %t, %l:3 = transform.structured.tile_using_for %mm tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.loop.unroll %l#2 {factor = 64} : !transform.any_op
      transform.loop.unroll %l#1 {factor = 64} : !transform.any_op
      transform.loop.unroll %l#0 {factor = 64} : !transform.any_op
    }, {
      %t, %l:3 = transform.structured.tile_using_for %mm tile_sizes [8, 16, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %t vector_sizes [8, 16, 1] : !transform.any_op
    }
    transform.yield
  }
}
