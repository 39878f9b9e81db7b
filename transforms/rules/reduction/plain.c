//===- plain.c - No schedule: loops, as the plain lowering has them ----------===//
//
// The last way out of a task whose schedules all fail: nothing is done on tensors or buffers, and
// what follows makes loops of the ops. There is nothing to decide.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/rule.h"

static bool plain_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true;
}

static void plain_write(const tune_structure *structure, const tune_machine *machine,
                        tune_writer *w) {
  (void)machine;
  tune_writer_begin_tensors(w, "rule 'plain': loops, as they come");
  tune_writer_end_tensors(w);
  tune_writer_line(w, "transform.named_sequence @tune_buffers(%%func: !transform.any_op "
                      "{transform.readonly}) {");
  w->indent++;
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_plain = {
    .name = "plain",
    .summary = "what no other rule can take: loops, as they come",
    .kinds = TUNE_KINDS_CPU,
    .applies = plain_applies,
    .write = plain_write,
};
