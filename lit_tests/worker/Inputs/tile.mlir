module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %mc = transform.tune.knob<"mc"> options = #tune.tile<[8, 16, 32]> {tune.default = 16 : i64} -> !transform.param<i64>
    %nr = transform.tune.knob<"nr"> options = #tune.tile<[8, 16]> -> !transform.param<i64>
    transform.smt.constrain_params(%mc, %nr) {tune.why = "the tile has to stay in the registers"} : (!transform.param<i64>, !transform.param<i64>) -> () {
    ^bb0(%m: !smt.int, %n: !smt.int):
      %area = smt.int.mul %m, %n
      %most = smt.int.constant 256
      %fits = smt.int.cmp le %area, %most
      smt.assert %fits
    }
    %mm = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"loop"> attributes {tune.labels = ["for", "forall"]} {
      %t, %l:2 = transform.structured.tile_using_for %mm tile_sizes [%mc, %nr] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    }, {
      %t, %l = transform.structured.tile_using_forall %mm tile_sizes [%mc, %nr] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}
