//===- rule_registry.c - The table of rules ----------------------------------===//

#include "transforms/spaces/rule_registry.h"

#include "transforms/rules/layouts.h"
#include "transforms/rules/schedule_forms.h"

#include <math.h>
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

static bool takes(const tune_rule *rule, const tune_structure *structure,
                  const tune_machine *machine) {
  if (!(rule->kinds & 1u << machine->kind))
    return false;
  // Where there is nothing to do, tiles of it have sizes that upstream divides by; vectors of i1
  // are bits, which tensors of it in memory are not; of what is the same in all steps of a sum
  // upstream's vectors add one.
  if (structure->is_empty || structure->has_bits || structure->sums_the_same ||
      tune_structure_is_beyond_plans(structure))
    return is_for_all(rule);
  return rule->applies(structure, machine);
}

//===--------------------------------------------------------------------------===//
// The forms of a task, in their order
//===--------------------------------------------------------------------------===//

// Called for each; to return whether that was the one. `structure` has the layout.
typedef bool (*visitor)(const tune_rule *rule, const tune_structure *structure, void *user_data);

// In which kind of form a rule has taken the task: each once.
typedef enum form_kind { RAW, LAID_OUT, ROUNDED, FORM_KINDS } form_kind;

typedef struct rule_walk {
  MlirContext context;
  const char *payload;
  const tune_machine *machine;
  const tune_structure *structure; // as the task is
  visitor visit;
  void *user_data;
  bool is_stock;
  bool seen[FORM_KINDS][RULE_COUNT];
  bool is_found;
} rule_walk;

// Which rules are asked.
typedef enum rules_asked {
  LEADING,
  MADE_FOR_IT,
  GOING_FIRST,
  MADE_FOR_LAYOUTS,
  LEADING_ROUNDED,
  BEST_ROUNDED,
  ANY_ROUNDED,
  ANY
} rules_asked;

static bool asks_leading(rules_asked asked) { return asked == LEADING || asked == LEADING_ROUNDED; }

static bool is_asked(rules_asked asked, const tune_rule *rule) {
  if (asks_leading(asked))
    return rule->leads != NULL;
  if (asked == GOING_FIRST)
    return rule->goes_first != NULL;
  if (asked == BEST_ROUNDED || asked == ANY_ROUNDED)
    return rule != &tune_rule_plain;
  return asked == ANY || (!is_for_all(rule) && (asked == MADE_FOR_IT || rule->takes_layouts));
}

static bool is_laid_out(const tune_structure *structure) {
  return structure->preparation.layout.op_count > 0;
}

// Products whose body rounds are rounded in all forms.
static form_kind kind_of(const rule_walk *walk, const tune_structure *structure) {
  if (structure->preparation.rounds && !walk->structure->preparation.rounds)
    return ROUNDED;
  return is_laid_out(structure) ? LAID_OUT : RAW;
}

// Whether a rule sees another product in `layout`, and not just fewer ops beside it.
static bool changes_product(const tune_layout *layout) {
  return layout->packs || (layout->op_count > 1 && layout->ops[1].operand == SIZE_MAX &&
                           layout->ops[1].tile.loop_count > 0);
}

// How many times as long the task takes by as many multiplications as it says as by the rule that
// multiplies least.
static double most_gain(const rule_walk *walk) {
  double gain = 1;
  for (size_t i = 0; i < RULE_COUNT; i++)
    if (RULES[i]->gain && takes(RULES[i], walk->structure, walk->machine))
      gain = fmax(gain, RULES[i]->gain(walk->structure, walk->machine));
  return gain;
}

// Whether a constant factor of `structure` is read from beyond the second cache, of which half is
// read where it is rounded ahead.
static bool is_of_memory(const tune_structure *structure, const tune_machine *machine) {
  for (size_t n = 0; n < structure->nest_count; n++)
    for (size_t o = 0; o < structure->nests[n].input_count; o++)
      if (structure->nests[n].multiplies_and_adds && structure->nests[n].operands[o].is_constant &&
          tune_operand_bytes(&structure->nests[n].operands[o]) > machine->l2_bytes)
        return true;
  return false;
}

// Whether rounded factors are the best guess: there are instructions for them, which multiply twice
// as many, and no rule multiplies half as many; or each is used but once.
static bool is_best_rounded(const rule_walk *walk, const tune_rule *rule,
                            const tune_structure *structure) {
  if (rule == &tune_rule_dot_contraction)
    return most_gain(walk) < 2;
  return !tune_layouts_has_tiles(structure) && is_of_memory(structure, walk->machine);
}

// Those behind one that yields are less particular, and yield as well.
static void visit_rules(rule_walk *walk, const tune_structure *structure, rules_asked asked) {
  form_kind kind = kind_of(walk, structure);
  bool *seen = walk->seen[kind];
  bool is_same = kind == LAID_OUT && !changes_product(&structure->preparation.layout);
  for (size_t i = 0; i < RULE_COUNT && !walk->is_found; i++) {
    const tune_rule *rule = RULES[i];
    if (seen[i] || (is_same && walk->seen[RAW][i]) || !is_asked(asked, rule) ||
        !takes(rule, structure, walk->machine))
      continue;
    if ((asks_leading(asked) && !rule->leads(structure, walk->machine)) ||
        (asked == GOING_FIRST && !rule->goes_first(structure, walk->machine)))
      continue;
    if ((asked == LEADING_ROUNDED || asked == BEST_ROUNDED) &&
        !is_best_rounded(walk, rule, structure))
      continue;
    if (asked != ANY && rule->yields && rule->yields(structure, walk->machine))
      return;
    seen[i] = true;
    walk->is_found = walk->visit(rule, structure, walk->user_data);
  }
}

// Rules for the product in `layout`, those that are asked. What upstream cannot bring into that has
// none.
static tune_status visit_layout(rule_walk *walk, const tune_layout *layout, rules_asked asked) {
  tune_structure structure;
  bool rounds = asked != MADE_FOR_LAYOUTS || walk->structure->preparation.rounds;
  tune_status status = tune_structure_read_wanted(
      walk->context, walk->payload, &(tune_preparation_wanted){.layout = layout, .rounds = rounds},
      &structure);
  if (tune_status_is_ok(status) && asked == BEST_ROUNDED)
    visit_rules(walk, &structure, LEADING_ROUNDED);
  if (tune_status_is_ok(status) && !walk->is_found)
    visit_rules(walk, &structure, asked);
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_structure_deinit(&structure);
  tune_status_free(status);
  return TUNE_OK;
}

// Rules that want the product in another layout, each in the first that it takes; with `all` also
// where only ops beside it are gone. What upstream cannot bring into one has no such rules.
static tune_status visit_layouts(rule_walk *walk, bool all) {
  tune_layout layouts[TUNE_LAYOUTS_MOST];
  size_t count =
      walk->machine->kind == TUNE_KIND_CPU && !tune_structure_is_beyond_plans(walk->structure)
          ? tune_layouts_find(walk->structure, walk->machine, layouts)
          : 0;
  for (size_t i = 0; i < count && !walk->is_found; i++) {
    if (!all && !changes_product(&layouts[i]))
      continue;
    TUNE_RETURN_IF_ERROR(visit_layout(walk, &layouts[i], MADE_FOR_LAYOUTS));
  }
  return TUNE_OK;
}

// The name of a form whose factors are rounded because they may be: what they are rounded to. NULL
// where they may not.
static const char *rounded_name(const tune_structure *structure) {
  const char *name = NULL;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->multiplies_and_adds && nest->allows_bf16)
      return "bf16";
    if (nest->multiplies_and_adds && nest->allows_f16)
      name = "f16";
  }
  return name;
}

// Rules that take the product with its factors rounded, where that is allowed: those that are
// asked.
static tune_status visit_rounded(rule_walk *walk, rules_asked asked) {
  tune_layout layouts[TUNE_LAYOUTS_MOST];
  tune_structure rounded;
  if (walk->machine->kind != TUNE_KIND_CPU || walk->structure->preparation.rounds ||
      walk->is_stock || !rounded_name(walk->structure) ||
      tune_structure_is_beyond_plans(walk->structure))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_structure_read_wanted(
      walk->context, walk->payload, &(tune_preparation_wanted){.rounds = true}, &rounded));
  size_t count = tune_layouts_find(&rounded, walk->machine, layouts);
  tune_structure_deinit(&rounded);
  for (size_t i = 0; i < count && !walk->is_found; i++)
    TUNE_RETURN_IF_ERROR(visit_layout(walk, &layouts[i], asked));
  return TUNE_OK;
}

// What is better than the rules for the task as it is, these, those for it in another layout, and
// at last those that are not made for it. Those for rounded factors come first where that is the
// best guess, or right before the last.
static tune_status walk_rules(rule_walk *walk) {
  TUNE_RETURN_IF_ERROR(visit_rounded(walk, BEST_ROUNDED));
  static const rules_asked as_it_is[] = {LEADING, MADE_FOR_IT, GOING_FIRST};
  for (size_t i = 0; i < sizeof as_it_is / sizeof *as_it_is && !walk->is_found; i++)
    visit_rules(walk, walk->structure, as_it_is[i]);
  if (!walk->is_found)
    TUNE_RETURN_IF_ERROR(visit_layouts(walk, true));
  if (!walk->is_found)
    TUNE_RETURN_IF_ERROR(visit_rounded(walk, ANY_ROUNDED));
  if (!walk->is_found)
    visit_rules(walk, walk->structure, ANY);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The one that is wanted
//===--------------------------------------------------------------------------===//

typedef struct choice {
  rule_walk walk;
  const char *name;            // the one of this name; NULL: by number
  size_t passed_over;          // how many still have to be
  const tune_machine *machine; //
  tune_schedule_form forms[2]; // the one that is wanted, and the other that goes with it
  size_t count;                // of these, in the end
  const tune_rule *rule;       // of the first; NULL as long as there is none
  bool changes;                // its layout: more than what stands beside the product
  const char *suffix;          // of its name; NULL: none
  bool is_rounded;             // its factors are
  unsigned indent;             // of what is written
  tune_string_builder names;   // "contraction, general, plain": those that take the task
} choice;

static const char *layout_of(const tune_structure *structure) {
  return is_laid_out(structure) ? structure->preparation.layout.name : TUNE_LAYOUT_RAW;
}

// What the name of a rule has after a slash: the form of a rounded product, and the layout where
// the other kind of layout has had `rule` before; NULL: nothing.
static const char *suffix_of(const rule_walk *walk, const tune_rule *rule,
                             const tune_structure *structure) {
  form_kind kind = kind_of(walk, structure);
  size_t index = 0;
  while (RULES[index] != rule)
    index++;
  if (kind == ROUNDED)
    return rounded_name(walk->structure);
  return walk->seen[kind == LAID_OUT ? RAW : LAID_OUT][index] ? layout_of(structure) : NULL;
}

// Whether `name` is "contraction" or "contraction/raw", where the rule's own name is the first's.
static bool is_called(const char *name, const tune_rule *rule, const char *suffix,
                      const char *layout) {
  size_t length = strlen(rule->name);
  if (strncmp(name, rule->name, length) != 0)
    return false;
  return name[length]
             ? name[length] == '/' && strcmp(name + length + 1, suffix ? suffix : layout) == 0
             : !suffix;
}

static void write_form(choice *self, const tune_rule *rule, const tune_structure *structure) {
  tune_schedule_form *form = &self->forms[self->count++];
  form->layout = layout_of(structure);
  form->writer.indent = self->indent;
  form->writer.form = self->count == 2 ? form->layout : "";
  rule->write(structure, self->machine, &form->writer);
}

static bool write_if_wanted(const tune_rule *rule, const tune_structure *structure,
                            void *user_data) {
  choice *self = user_data;
  const char *suffix = suffix_of(&self->walk, rule, structure);
  tune_string_builder_appendf(&self->names, "%s%s%s%s", self->names.text ? ", " : "", rule->name,
                              suffix ? "/" : "", suffix ? suffix : "");
  if (self->name ? !is_called(self->name, rule, suffix, layout_of(structure))
                 : self->passed_over-- > 0)
    return false;
  self->rule = rule;
  self->suffix = suffix;
  self->is_rounded = kind_of(&self->walk, structure) == ROUNDED;
  self->changes = is_laid_out(structure) && changes_product(&structure->preparation.layout);
  write_form(self, rule, structure);
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

//===--------------------------------------------------------------------------===//
// The other form that goes with the first
//===--------------------------------------------------------------------------===//

static bool pass_over(const tune_rule *rule, const tune_structure *structure, void *user_data) {
  (void)rule;
  (void)structure;
  (void)user_data;
  return false;
}

// Not plain loops, and of a rule that takes the task raw no other layout: that rule packs by
// itself.
static bool write_other(const tune_rule *rule, const tune_structure *structure, void *user_data) {
  choice *self = user_data;
  if (rule == &tune_rule_plain ||
      (is_laid_out(structure) && suffix_of(&self->walk, rule, structure)))
    return false;
  write_form(self, rule, structure);
  return true;
}

static tune_status find_other(choice *self) {
  rule_walk *walk = &self->walk;
  bool is_raw = strcmp(self->forms[0].layout, TUNE_LAYOUT_RAW) == 0;
  if (!is_raw && !self->changes)
    return TUNE_OK;
  walk->is_found = false;
  if (is_raw) {
    walk->visit = pass_over;
    visit_rules(walk, walk->structure, MADE_FOR_IT);
  }
  walk->visit = write_other;
  if (is_raw)
    return visit_layouts(walk, false);
  visit_rules(walk, walk->structure, ANY);
  return TUNE_OK;
}

// Of what takes whatever there is, only what goes first: else no other layout has a rule.
static bool has_other(const choice *self) {
  const tune_rule *rule = self->rule;
  return self->machine->kind == TUNE_KIND_CPU && !self->is_rounded &&
         (!is_for_all(rule) ||
          (rule->goes_first && rule->goes_first(self->walk.structure, self->machine)));
}

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

static tune_status find_forms(choice *self, bool joins) {
  self->indent = joins ? 1 : 0;
  TUNE_RETURN_IF_ERROR(walk_rules(&self->walk));
  if (!self->rule)
    return refuse(self);
  return joins && has_other(self) ? find_other(self) : TUNE_OK;
}

static tune_status write_schedule(choice *self, char **out_schedule) {
  tune_writer joined;
  if (self->count < 2 || !tune_schedule_form_is_whole(&self->forms[0]) ||
      !tune_schedule_form_is_whole(&self->forms[1]))
    return tune_writer_finish(&self->forms[0].writer, out_schedule);
  tune_writer_init(&joined);
  tune_schedule_forms_write(self->forms, &joined);
  tune_status status = tune_writer_finish(&joined, out_schedule);
  tune_writer_deinit(&joined);
  return status;
}

tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, const tune_rule_wanted *wanted,
                                     char **out_schedule, tune_rule_taken *out_taken) {
  *out_schedule = NULL;
  tune_structure structure;
  const tune_preparation_wanted as_it_is = {.is_stock = wanted && wanted->is_stock};
  TUNE_RETURN_IF_ERROR(tune_structure_read_wanted(context, payload, &as_it_is, &structure));
  choice self = {.walk = {.context = context,
                          .payload = payload,
                          .machine = machine,
                          .structure = &structure,
                          .is_stock = as_it_is.is_stock,
                          .visit = write_if_wanted,
                          .user_data = &self},
                 .name = wanted ? wanted->name : NULL,
                 .passed_over = wanted ? wanted->passed_over : 0,
                 .machine = machine};
  tune_string_builder_init(&self.names);
  for (size_t i = 0; i < 2; i++)
    tune_writer_init(&self.forms[i].writer);
  tune_status status = find_forms(&self, !self.name && self.passed_over == 0);
  if (tune_status_is_ok(status))
    status = tune_status_annotate(write_schedule(&self, out_schedule),
                                  "making the space of a task by the rule '%s'", self.rule->name);
  for (size_t i = 0; i < 2; i++)
    tune_writer_deinit(&self.forms[i].writer);
  tune_string_builder_deinit(&self.names);
  if (out_taken)
    *out_taken = (tune_rule_taken){self.rule, self.suffix};
  tune_structure_deinit(&structure);
  return status;
}
