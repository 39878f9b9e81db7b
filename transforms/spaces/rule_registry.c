//===- rule_registry.c - The table of rules ----------------------------------===//

#include "transforms/spaces/rule_registry.h"

// The most particular first; a new rule is one line here. `general` and `gpu_general`, which take
// what nothing else does, come last.
#define FOR_EACH_RULE(DO)                                                                          \
  DO(attention)                                                                                    \
  DO(dot_contraction)                                                                              \
  DO(winograd_nchw)                                                                                \
  DO(conv_blocked)                                                                                 \
  DO(depthwise)                                                                                    \
  DO(winograd)                                                                                     \
  DO(contraction)                                                                                  \
  DO(im2col)                                                                                       \
  DO(reduction)                                                                                    \
  DO(elementwise)                                                                                  \
  DO(gpu_tiles)                                                                                    \
  DO(gpu_contraction)                                                                              \
  DO(gpu_rows)                                                                                     \
  DO(gpu_elements)                                                                                 \
  DO(gpu_general)                                                                                  \
  DO(general)

#define DECLARE(name) extern const tune_rule tune_rule_##name;
FOR_EACH_RULE(DECLARE)

#define ROW(name) &tune_rule_##name,
static const tune_rule *const RULES[] = {FOR_EACH_RULE(ROW)};

const tune_rule *tune_rule_find(const tune_structure *structure, const tune_machine *machine) {
  // Where there is nothing to do, tiles of it have sizes that upstream divides by; vectors of i1
  // are bits, which tensors of it in memory are not.
  bool is_for_all = structure->is_empty || structure->has_bits;
  for (size_t i = 0; !is_for_all && i < sizeof RULES / sizeof *RULES; i++)
    if (RULES[i]->kinds & 1u << machine->kind && RULES[i]->applies(structure, machine))
      return RULES[i];
  return machine->kind == TUNE_KIND_CPU ? &tune_rule_general : &tune_rule_gpu_general;
}

tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, char **out_schedule,
                                     const tune_rule **out_rule) {
  *out_schedule = NULL;
  tune_structure structure;
  TUNE_RETURN_IF_ERROR(tune_structure_read_payload(context, payload, &structure));
  const tune_rule *rule = tune_rule_find(&structure, machine);
  tune_writer writer;
  tune_writer_init(&writer);
  rule->write(&structure, machine, &writer);
  tune_status status = tune_writer_finish(&writer, out_schedule);
  tune_writer_deinit(&writer);
  tune_structure_deinit(&structure);
  if (out_rule)
    *out_rule = rule;
  return tune_status_annotate(status, "making the space of a task by the rule '%s'", rule->name);
}
