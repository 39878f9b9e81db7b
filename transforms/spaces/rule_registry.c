//===- rule_registry.c - The table of rules ----------------------------------===//

#include "transforms/spaces/rule_registry.h"

#include "transforms/rules/layouts.h"

#include <string.h>

// The most particular first; a new rule is one line here. `general` and `gpu_general`, which take
// what nothing else does, come last, and `plain` and `host`, which are for what even these fail at.
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
  DO(host)                                                                                         \
  DO(general)                                                                                      \
  DO(plain)

#define DECLARE(name) extern const tune_rule tune_rule_##name;
FOR_EACH_RULE(DECLARE)

#define ROW(name) &tune_rule_##name,
static const tune_rule *const RULES[] = {FOR_EACH_RULE(ROW)};
#define RULE_COUNT (sizeof RULES / sizeof *RULES)

// Those that take whatever comes.
static bool is_for_all(const tune_rule *rule) {
  return rule == &tune_rule_general || rule == &tune_rule_gpu_general || rule == &tune_rule_plain ||
         rule == &tune_rule_host;
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

// Called for each rule that takes a task, in their order, with the form of it that it takes; to
// return whether that was the one.
typedef bool (*visitor)(const tune_rule *rule, const tune_structure *structure, void *user_data);

typedef struct rule_walk {
  MlirContext context;
  const char *payload;
  const tune_machine *machine;
  const tune_structure *structure; // as the task is
  visitor visit;
  void *user_data;
  bool seen[RULE_COUNT];
  bool is_found;
} rule_walk;

// Which rules are asked.
typedef enum rules_asked { MADE_FOR_IT, GOING_FIRST, MADE_FOR_LAYOUTS, ANY } rules_asked;

static bool is_asked(rules_asked asked, const tune_rule *rule) {
  if (asked == GOING_FIRST)
    return rule->goes_first != NULL;
  return asked == ANY || (!is_for_all(rule) && (asked == MADE_FOR_IT || rule->takes_layouts));
}

// Those behind one that yields are less particular, and yield as well.
static void visit_rules(rule_walk *walk, const tune_structure *structure, rules_asked asked) {
  for (size_t i = 0; i < RULE_COUNT && !walk->is_found; i++) {
    const tune_rule *rule = RULES[i];
    if (walk->seen[i] || !is_asked(asked, rule) || !takes(rule, structure, walk->machine))
      continue;
    if (asked == GOING_FIRST && !rule->goes_first(structure, walk->machine))
      continue;
    if (asked != ANY && rule->yields && rule->yields(structure, walk->machine))
      return;
    walk->seen[i] = true;
    walk->is_found = walk->visit(rule, structure, walk->user_data);
  }
}

// Rules that want the product in another layout, each in the first that it takes. What upstream
// cannot bring into one has no such rules.
static tune_status visit_layouts(rule_walk *walk) {
  tune_layout layouts[TUNE_LAYOUTS_MOST];
  size_t count = walk->machine->kind == TUNE_KIND_CPU && !is_beyond_plans(walk->structure)
                     ? tune_layouts_find(walk->structure, walk->machine, layouts)
                     : 0;
  for (size_t i = 0; i < count && !walk->is_found; i++) {
    tune_structure structure;
    tune_status status =
        tune_structure_read_laid_out(walk->context, walk->payload, &layouts[i], &structure);
    if (tune_status_is_ok(status))
      visit_rules(walk, &structure, MADE_FOR_LAYOUTS);
    if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
      return status;
    tune_structure_deinit(&structure);
    tune_status_free(status);
  }
  return TUNE_OK;
}

// The rules for the task as it is, those for it in another layout, and at last those that are not
// made for it.
static tune_status walk_rules(rule_walk *walk) {
  visit_rules(walk, walk->structure, MADE_FOR_IT);
  if (!walk->is_found)
    visit_rules(walk, walk->structure, GOING_FIRST);
  if (!walk->is_found)
    TUNE_RETURN_IF_ERROR(visit_layouts(walk));
  if (!walk->is_found)
    visit_rules(walk, walk->structure, ANY);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The one that is wanted
//===--------------------------------------------------------------------------===//

typedef struct choice {
  const char *name;            // the one of this name; NULL: by number
  size_t passed_over;          // how many still have to be
  const tune_machine *machine; //
  tune_writer writer;          // of the schedule
  const tune_rule *rule;       // that wrote it; NULL as long as none has
  tune_string_builder names;   // "contraction, general, plain": those that take the task
} choice;

static bool write_if_wanted(const tune_rule *rule, const tune_structure *structure,
                            void *user_data) {
  choice *self = user_data;
  tune_string_builder_appendf(&self->names, "%s%s", self->names.text ? ", " : "", rule->name);
  if (self->name ? strcmp(rule->name, self->name) != 0 : self->passed_over-- > 0)
    return false;
  self->rule = rule;
  rule->write(structure, self->machine, &self->writer);
  return true;
}

static tune_status refuse(const choice *self) {
  if (!self->name)
    return tune_status_make(TUNE_NOT_FOUND, "no rule is left for this task");
  if (self->names.failed)
    return tune_status_out_of_memory("looking for a rule");
  return tune_status_make(TUNE_NOT_FOUND, "no rule \"%s\" takes this task; those that do are %s",
                          self->name, self->names.text ? self->names.text : "none");
}

tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, const tune_rule_wanted *wanted,
                                     char **out_schedule, const tune_rule **out_rule) {
  *out_schedule = NULL;
  tune_structure structure;
  TUNE_RETURN_IF_ERROR(tune_structure_read_payload(context, payload, &structure));
  choice self = {.name = wanted ? wanted->name : NULL,
                 .passed_over = wanted ? wanted->passed_over : 0,
                 .machine = machine};
  tune_string_builder_init(&self.names);
  tune_writer_init(&self.writer);
  rule_walk walk = {.context = context,
                    .payload = payload,
                    .machine = machine,
                    .structure = &structure,
                    .visit = write_if_wanted,
                    .user_data = &self};
  tune_status status = walk_rules(&walk);
  if (tune_status_is_ok(status) && !self.rule)
    status = refuse(&self);
  if (tune_status_is_ok(status)) {
    status = tune_writer_finish(&self.writer, out_schedule);
    status = tune_status_annotate(status, "making the space of a task by the rule '%s'",
                                  self.rule->name);
  }
  tune_writer_deinit(&self.writer);
  tune_string_builder_deinit(&self.names);
  tune_structure_deinit(&structure);
  if (out_rule)
    *out_rule = self.rule;
  return status;
}
