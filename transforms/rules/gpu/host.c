//===- host.c - A task of a device that the host does ------------------------===//
//
// The last way out of a task that no kernel can be made of: nothing is decided, and the lowering
// makes a step on the host of it (transforms/lower/host_functions.h), with copies around it.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/rule.h"

static bool host_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true;
}

static void host_write(const tune_structure *structure, const tune_machine *machine,
                       tune_writer *w) {
  (void)machine;
  tune_writer_begin_unprepared(w, "rule 'host': a step on the host");
  tune_writer_end_tensors(w);
  tune_writer_line(w, "transform.named_sequence @tune_buffers(%%func: !transform.any_op "
                      "{transform.readonly}) {");
  w->indent++;
  tune_writer_line(w, "%%host = transform.param.constant 1 : i64 -> !transform.param<i64>");
  tune_writer_line(w, "transform.annotate %%func \"tune.host\" = %%host : !transform.any_op, "
                      "!transform.param<i64>");
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_host = {
    .name = "host",
    .summary = "what no kernel can be made of, on a GPU: a step on the host, as the plain lowering "
               "has it",
    .kinds = TUNE_KINDS_GPU,
    .leaves_device = true,
    .applies = host_applies,
    .write = host_write,
};
