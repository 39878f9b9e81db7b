//===- rule_registry.c - The table of rules ----------------------------------===//

#include "transforms/spaces/rule_registry.h"

#include <string.h>

// The most particular first; a new rule is one line here. `general` and `gpu_general`, which take
// what nothing else does, come last, and `plain`, which is for what even `general` fails at.
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
  DO(general)                                                                                      \
  DO(plain)

#define DECLARE(name) extern const tune_rule tune_rule_##name;
FOR_EACH_RULE(DECLARE)

#define ROW(name) &tune_rule_##name,
static const tune_rule *const RULES[] = {FOR_EACH_RULE(ROW)};
#define RULE_COUNT (sizeof RULES / sizeof *RULES)

// Those that take whatever comes.
static bool is_for_all(const tune_rule *rule) {
  return rule == &tune_rule_general || rule == &tune_rule_gpu_general || rule == &tune_rule_plain;
}

// Whether there is more to do than sizes can be multiplied for, which no memory holds either: plans
// count elements and bytes in 64 bits.
static bool is_beyond_plans(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    double steps = 1;
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      steps *= nest->extent[loop] > 1 ? (double)nest->extent[loop] : 1;
    if (steps > 0x1p54)
      return true;
  }
  return false;
}

static bool takes(const tune_rule *rule, const tune_structure *structure,
                  const tune_machine *machine) {
  if (!(rule->kinds & 1u << machine->kind))
    return false;
  // Where there is nothing to do, tiles of it have sizes that upstream divides by; vectors of i1
  // are bits, which tensors of it in memory are not.
  if (structure->is_empty || structure->has_bits || is_beyond_plans(structure))
    return is_for_all(rule);
  return rule->applies(structure, machine);
}

const tune_rule *tune_rule_find(const tune_structure *structure, const tune_machine *machine,
                                size_t passed_over) {
  for (size_t i = 0; i < RULE_COUNT; i++)
    if (takes(RULES[i], structure, machine) && passed_over-- == 0)
      return RULES[i];
  return NULL;
}

// "contraction, general, plain": those that take the task.
static void append_names(tune_string_builder *text, const tune_structure *structure,
                         const tune_machine *machine) {
  const tune_rule *rule;
  for (size_t i = 0; (rule = tune_rule_find(structure, machine, i)); i++)
    tune_string_builder_appendf(text, "%s%s", i ? ", " : "", rule->name);
}

static tune_status refuse_name(const tune_structure *structure, const tune_machine *machine,
                               const char *name) {
  tune_string_builder names;
  tune_string_builder_init(&names);
  append_names(&names, structure, machine);
  tune_status status =
      names.failed
          ? tune_status_out_of_memory("looking for a rule")
          : tune_status_make(TUNE_NOT_FOUND, "no rule \"%s\" takes this task; those that do are %s",
                             name, names.text ? names.text : "none");
  tune_string_builder_deinit(&names);
  return status;
}

static tune_status find_wanted(const tune_structure *structure, const tune_machine *machine,
                               const tune_rule_wanted *wanted, const tune_rule **out_rule) {
  size_t passed_over = wanted ? wanted->passed_over : 0;
  if (!wanted || !wanted->name) {
    *out_rule = tune_rule_find(structure, machine, passed_over);
    return *out_rule ? TUNE_OK : tune_status_make(TUNE_NOT_FOUND, "no rule is left for this task");
  }
  for (size_t i = 0; (*out_rule = tune_rule_find(structure, machine, i)); i++)
    if (strcmp((*out_rule)->name, wanted->name) == 0)
      return TUNE_OK;
  return refuse_name(structure, machine, wanted->name);
}

static tune_status write_schedule(const tune_structure *structure, const tune_machine *machine,
                                  const tune_rule *rule, char **out_schedule) {
  tune_writer writer;
  tune_writer_init(&writer);
  rule->write(structure, machine, &writer);
  tune_status status = tune_writer_finish(&writer, out_schedule);
  tune_writer_deinit(&writer);
  return tune_status_annotate(status, "making the space of a task by the rule '%s'", rule->name);
}

tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, const tune_rule_wanted *wanted,
                                     char **out_schedule, const tune_rule **out_rule) {
  *out_schedule = NULL;
  tune_structure structure;
  TUNE_RETURN_IF_ERROR(tune_structure_read_payload(context, payload, &structure));
  const tune_rule *rule = NULL;
  tune_status status = find_wanted(&structure, machine, wanted, &rule);
  if (tune_status_is_ok(status))
    status = write_schedule(&structure, machine, rule, out_schedule);
  tune_structure_deinit(&structure);
  if (out_rule)
    *out_rule = rule;
  return status;
}
