//===- choices.c - The decisions on an op -----------------------------------------------===//
//
// The bytes are the attribute tune.choices. It is verified, read for each target, written back, and
// narrows the space of a schedule.
//
//===--------------------------------------------------------------------------===//

#include "dialects/choices.h"

#include "dialects/diagnostic.h"
#include "fuzz/context.h"
#include "fuzz/fuzz.h"
#include "transforms/ir/ir.h"
#include "transforms/spaces/module_tasks.h"
#include "transforms/spaces/task_choices.h"

#include <stdlib.h>

static const char payload[] =
    "func.func @f(%a: tensor<64x128xf32>, %b: tensor<128x32xf32>, %c: tensor<64x32xf32>)\n"
    "    -> tensor<64x32xf32> {\n"
    "  %0 = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x32xf32>)\n"
    "                     outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "  return %0 : tensor<64x32xf32>\n"
    "}\n";

// What choices are about: a task with the knobs mc, nr and order.
typedef struct subject {
  MlirOperation module, anchor;
  tune_extraction *extraction;
  tune_anchors anchors;
  tune_space *space;
} subject;

static MlirWalkResult find_anchor(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "linalg.matmul"))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

static void make_space(tune_space **out_space) {
  int64_t tiles[] = {8, 16, 32, 64}, orders[] = {0, 1};
  char *labels[] = {"rows", "columns"};
  const tune_knob knobs[] = {
      {.name = "mc", .is_ordered = true, .value_count = 4, .values = tiles},
      {.name = "nr", .is_ordered = true, .value_count = 3, .values = tiles},
      {.name = "order", .value_count = 2, .values = orders, .labels = labels}};
  fuzz_require(fuzz_accept(tune_space_create(out_space)), "a space");
  for (size_t i = 0; i < sizeof knobs / sizeof *knobs; ++i)
    fuzz_require(fuzz_accept(tune_space_add_knob(*out_space, &knobs[i])), "a knob");
  fuzz_require(
      fuzz_accept(tune_space_add_constraint(*out_space, "mc * nr <= 512", "registers are few")),
      "a constraint");
}

static void subject_init(subject *s, MlirContext context) {
  for (const tune_dialect_getter *getter = tune_module_tasks_dialects; *getter; ++getter)
    mlirDialectHandleLoadDialect((*getter)(), context);
  fuzz_require(
      fuzz_accept(tune_ir_parse(context, payload, "in.mlir", &s->module)) &&
          fuzz_accept(tune_extract(mlirModuleFromOperation(s->module), 1, &s->extraction)) &&
          fuzz_accept(tune_anchors_init(&s->anchors, s->extraction)),
      "a task");
  mlirOperationWalk(s->module, find_anchor, &s->anchor, MlirWalkPreOrder);
  make_space(&s->space);
}

static void narrow(const subject *s, const char *target, bool takes_all_chosen) {
  tune_task_choices_source source = {.space = s->space,
                                     .anchors = &s->anchors,
                                     .target = target,
                                     .origin = "rule 'fuzz'",
                                     .takes_all_chosen = takes_all_chosen};
  tune_space *narrowed;
  tune_config config;
  bool is_decided;
  if (!fuzz_accept(tune_task_choices_narrow(&source, &narrowed, &config, &is_decided)))
    return;
  fuzz_require(tune_space_size(narrowed) <= tune_space_size(s->space), "a space that is no larger");
  fuzz_require(tune_config_is_valid(&config, narrowed, NULL), "a config that is valid");
  tune_config_deinit(&config);
  tune_space_destroy(narrowed);
}

// What is read, written back, reads the same.
static void read_and_write(MlirOperation op, const char *target) {
  tune_choices choices, again;
  if (!fuzz_accept(tune_choices_read(op, target, &choices))) {
    tune_choices_deinit(&choices);
    return;
  }
  if (fuzz_accept(tune_choices_write(op, &choices))) {
    fuzz_require(fuzz_accept(tune_choices_read(op, target, &again)), "what was written");
    fuzz_require(again.count == choices.count, "as many choices as were written");
    tune_choices_deinit(&again);
  }
  tune_choices_deinit(&choices);
}

static void check(const subject *s, MlirAttribute attribute) {
  MlirStringRef name = tune_ir_string(TUNE_CHOICES_ATTRIBUTE);
  for (const char *const *target = tune_choices_targets; *target; ++target) {
    mlirOperationSetAttributeByName(s->anchor, name, attribute);
    if (fuzz_accept(tune_choices_verify(s->module))) {
      narrow(s, *target, false);
      narrow(s, *target, true);
      read_and_write(s->anchor, *target);
      fuzz_require(fuzz_accept(tune_choices_verify(s->module)), "what was written is valid");
    }
  }
  tune_choices_strip(s->module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Kept for all inputs: attributes of choices are few and small.
  static subject s;
  MlirContext context = fuzz_context();
  if (!s.space)
    subject_init(&s, context);
  char *text = fuzz_text(data, size);
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, context);
  MlirAttribute attribute = {0};
  if (!fuzz_nests_deep(text))
    attribute = mlirAttributeParseGet(context, tune_ir_string(text));
  fuzz_accept(tune_diagnostics_end(&diagnostics, mlirAttributeIsNull(attribute),
                                   TUNE_INVALID_ARGUMENT, "parsing"));
  tune_diagnostics_deinit(&diagnostics);
  if (!mlirAttributeIsNull(attribute))
    check(&s, attribute);
  free(text);
  return 0;
}
