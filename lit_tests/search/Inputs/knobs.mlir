// Four knobs with 240 configs, of which the constraint leaves 216. For searches on the target null: what
// comes of them is the same as long as neither this file nor a strategy changes.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %rows = transform.tune.knob<"rows"> options = #tune.tile<[2, 4, 8, 16, 32]> {tune.default = 8 : i64} -> !transform.param<i64>
    %columns = transform.tune.knob<"columns"> options = #tune.tile<[4, 8, 12, 16, 24, 48]> {tune.default = 16 : i64} -> !transform.param<i64>
    %depth = transform.tune.knob<"depth"> options = #tune.tile<[2, 4, 8, 16]> {tune.default = 4 : i64} -> !transform.param<i64>
    transform.smt.constrain_params(%rows, %columns) {tune.why = "a tile has 512 elements at most"} : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%r: !smt.int, %c: !smt.int):
      %limit = smt.int.constant 512
      %size = smt.int.mul %r, %c
      %fits = smt.int.cmp le %size, %limit
      smt.assert %fits
    }
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"order"> attributes {tune.labels = ["rows", "columns"]} {
      %tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes [%rows, %columns, %depth] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }, {
      %tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes [%rows, %columns, %depth] interchange = [1, 0, 2] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
