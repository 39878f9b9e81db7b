//===- task_space.c -----------------------------------------------------------===//

#include "transforms/spaces/task_space.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/task_key.h"
#include "transforms/lower/common/version.h"
#include "transforms/lower/vulkan/spirv_tools.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/schedule/schedule_knobs.h"
#include "transforms/spaces/rule_registry.h"
#include "transforms/spaces/task_choices.h"
#include "transforms/tasks/module_precision.h"
#include "transforms/tasks/normalize.h"

#include <stdlib.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

static bool starts_with(const char *text, MlirStringRef prefix) {
  return prefix.length > 0 && strncmp(text, prefix.data, prefix.length) == 0;
}

tune_status tune_task_space_is_meant(MlirOperation schedule, const tune_extracted_task *task,
                                     bool *out_is_meant) {
  MlirAttribute list = tune_ir_attribute(schedule, "tune.for");
  *out_is_meant = mlirAttributeIsNull(list);
  if (*out_is_meant)
    return TUNE_OK;
  bool is_right = mlirAttributeIsAArray(list);
  for (intptr_t i = 0; is_right && i < mlirArrayAttrGetNumElements(list); ++i) {
    MlirAttribute element = mlirArrayAttrGetElement(list, i);
    is_right = mlirAttributeIsAString(element);
    if (!is_right)
      break;
    MlirStringRef prefix = mlirStringAttrGetValue(element);
    *out_is_meant |= starts_with(tune_task_kind_name(task->kind), prefix) ||
                     starts_with(task->name, prefix) || starts_with(task->key.text, prefix);
  }
  if (is_right)
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, schedule,
                             "tune.for: expected an array of strings: kinds of tasks, or how their "
                             "names or keys start");
}

// Takes the user's schedule where it is meant for the task; leaves `space->schedule` NULL if not.
static tune_status take_users(MlirContext context, const tune_task_space_options *options,
                              tune_task_space *space) {
  TUNE_RETURN_IF_ERROR(tune_schedule_parse(context, options->schedule_text,
                                           options->schedule_source, options->allowed_passes,
                                           &space->schedule));
  bool is_meant;
  TUNE_RETURN_IF_ERROR(tune_task_space_is_meant(space->schedule->module, space->task, &is_meant));
  if (!is_meant) {
    tune_schedule_destroy(space->schedule);
    space->schedule = NULL;
    return TUNE_OK;
  }
  space->schedule_text = strdup(options->schedule_text);
  space->origin_owned = strdup(options->schedule_source);
  space->origin = space->origin_owned;
  space->is_users = true;
  space->allowed_passes = options->allowed_passes;
  return space->schedule_text && space->origin
             ? TUNE_OK
             : tune_status_out_of_memory("making the space of a task");
}

static tune_status write_by_rule(MlirContext context, const tune_target_facts *facts,
                                 const tune_rule_wanted *wanted, tune_task_space *space) {
  tune_machine machine;
  tune_machine_init(&machine);
  tune_machine_read_fingerprint(&machine, facts->fingerprint);
  machine.threads = (unsigned)facts->threads;
  machine.gpu.can_validate_matrices = tune_spirv_tools_know_matrices();
  tune_rule_taken taken;
  TUNE_RETURN_IF_ERROR(tune_rules_make_schedule(context, space->task->payload, &machine, wanted,
                                                &space->schedule_text, &taken));
  space->leaves_device = taken.rule->leaves_device;
  char what[TUNE_TARGET_FACTS_TEXT];
  if (asprintf(&space->rule, "%s%s%s", taken.rule->name, taken.suffix ? "/" : "",
               taken.suffix ? taken.suffix : "") < 0) {
    space->rule = NULL;
    return tune_status_out_of_memory("making the space of a task");
  }
  if (asprintf(&space->origin_owned, "rule '%s' for %s", space->rule,
               tune_target_facts_describe(facts, what)) < 0) {
    space->origin_owned = NULL;
    return tune_status_out_of_memory("making the space of a task");
  }
  space->origin = space->origin_owned;
  return tune_schedule_parse(context, space->schedule_text, "schedule.mlir", NULL,
                             &space->schedule);
}

static tune_status take_rule(MlirContext context, const tune_task_choices_source *source,
                             const tune_task_space_options *options, tune_task_space *space) {
  char *name = NULL;
  TUNE_RETURN_IF_ERROR(tune_task_choices_find_rule(source, &name));
  const MlirOperation module = mlirModuleGetOperation(source->anchors->extraction->normalized);
  tune_rule_wanted wanted = {
      .name = name,
      .passed_over = options->attempt.passed_over,
      .is_stock = !mlirAttributeIsNull(tune_ir_attribute(module, TUNE_STOCK_ATTRIBUTE))};
  tune_status status = TUNE_OK;
  if (name && wanted.passed_over > 0)
    status = tune_status_make(TUNE_NOT_FOUND, "the rule \"%s\" is asked for, and no other", name);
  else
    status = write_by_rule(context, options->facts, &wanted, space);
  space->names_rule = name || wanted.passed_over > 0;
  free(name);
  return tune_status_locate(status, space->task->location);
}

static tune_status digest_schedule(const tune_target_facts *facts, tune_task_space *space) {
  tune_digest_stream *stream;
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&stream));
  tune_digest_stream_add_bytes(stream, space->schedule_text, strlen(space->schedule_text));
  // No code is made for the target null: its times are those of the schedule in every version.
  if (strcmp(facts->name.target, "null") != 0) {
    tune_digest_stream_add_text(stream, tune_lowering_version);
    tune_digest_stream_add_text(stream, TUNE_LLVM_VERSION);
  }
  space->schedule_digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// What choices call the knobs
//===--------------------------------------------------------------------------===//

typedef struct kind_reader {
  const tune_space *space;
  tune_choice_kind *kinds;
  tune_status status;
} kind_reader;

// The schedule says it by the domain attribute of the knob.
static MlirWalkResult read_kind(MlirOperation op, void *user_data) {
  kind_reader *reader = user_data;
  if (!tune_ir_is(op, "transform.tune.knob"))
    return MlirWalkResultAdvance;
  MlirAttribute options = tune_ir_attribute(op, "options");
  if (!tune_domain_is_attribute(options))
    return MlirWalkResultAdvance;
  tune_domain domain;
  reader->status = tune_domain_read(options, &domain);
  if (!tune_status_is_ok(reader->status))
    return MlirWalkResultInterrupt;
  size_t knob = tune_schedule_find_knob(reader->space, op);
  if (knob != SIZE_MAX)
    reader->kinds[knob] = domain.kind;
  tune_domain_deinit(&domain);
  return MlirWalkResultAdvance;
}

static tune_status read_kinds(tune_task_space *space) {
  const tune_space *whole = space->schedule->space;
  size_t count = tune_space_knob_count(whole);
  space->kinds = calloc(count + 1, sizeof *space->kinds);
  if (!space->kinds)
    return tune_status_out_of_memory("making the space of a task");
  for (size_t i = 0; i < count; ++i)
    space->kinds[i] = tune_task_choices_kind(tune_space_knob(whole, i));
  kind_reader reader = {.space = whole, .kinds = space->kinds};
  mlirOperationWalk(space->schedule->module, read_kind, &reader, MlirWalkPreOrder);
  return reader.status;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

static tune_status fill(MlirContext context, const tune_anchors *anchors, size_t task,
                        const tune_task_space_options *options, tune_task_space *space) {
  space->facts = options->facts;
  space->target = options->facts->name.target;
  space->by_target = options->by_target;
  bool is_other = options->attempt.passed_over > 0;
  tune_task_choices_source source = {.anchors = anchors,
                                     .task = task,
                                     .target = space->target,
                                     .takes_all_chosen = options->takes_all_chosen &&
                                                         !options->attempt.takes_defaults &&
                                                         !is_other,
                                     .levels = options->levels,
                                     .forgets_open = is_other || space->task->is_cut};
  if (options->schedule_text && !is_other)
    TUNE_RETURN_IF_ERROR(take_users(context, options, space));
  if (!space->schedule)
    TUNE_RETURN_IF_ERROR(take_rule(context, &source, options, space));
  TUNE_RETURN_IF_ERROR(digest_schedule(options->facts, space));
  TUNE_RETURN_IF_ERROR(read_kinds(space));
  source.space = space->schedule->space;
  source.origin = space->origin;
  return tune_task_choices_narrow(&source, &space->space, &space->config, &space->is_decided);
}

tune_status tune_task_space_create(MlirContext context, const tune_anchors *anchors, size_t task,
                                   const tune_task_space_options *options,
                                   tune_task_space **out_space) {
  *out_space = NULL;
  tune_task_space *space = calloc(1, sizeof *space);
  if (!space)
    return tune_status_out_of_memory("making the space of a task");
  space->task = &anchors->extraction->tasks[task];
  tune_status status = fill(context, anchors, task, options, space);
  if (!tune_status_is_ok(status)) {
    tune_task_space_destroy(space);
    return status;
  }
  *out_space = space;
  return TUNE_OK;
}

void tune_task_space_destroy(tune_task_space *space) {
  if (!space)
    return;
  free(space->origin_owned);
  free(space->rule);
  free(space->schedule_text);
  free(space->kinds);
  tune_schedule_destroy(space->schedule);
  tune_space_destroy(space->space);
  tune_config_deinit(&space->config);
  free(space);
}

//===--------------------------------------------------------------------------===//
// Onto the anchors
//===--------------------------------------------------------------------------===//

static size_t task_index(const tune_task_space *space, const tune_anchors *anchors) {
  return (size_t)(space->task - anchors->extraction->tasks);
}

static tune_task_choices_form make_form(const tune_task_space *space, const tune_space *knobs) {
  return (tune_task_choices_form){.space = knobs,
                                  .kinds = space->kinds,
                                  .rule = space->names_rule ? space->rule : NULL,
                                  .target = space->target,
                                  .by_target = space->by_target};
}

tune_status tune_task_space_write_chosen(const tune_task_space *space, const tune_anchors *anchors,
                                         const tune_config *config, const char *provenance) {
  size_t task = task_index(space, anchors);
  tune_task_choices_form form = make_form(space, space->space);
  for (size_t i = 0; i < space->task->occurrence_count; ++i) {
    MlirOperation op = space->task->occurrences[i].anchor;
    if (tune_anchors_is_of(anchors, op, task))
      TUNE_RETURN_IF_ERROR(tune_task_choices_write_chosen(op, &form, config, provenance));
  }
  return TUNE_OK;
}

bool tune_task_space_is_free(const tune_task_space *space) {
  const tune_space *whole = space->schedule->space;
  if (space->is_users || space->names_rule || space->is_decided)
    return false;
  for (size_t i = 0; i < tune_space_knob_count(whole); ++i)
    if (tune_space_knob(whole, i)->value_count != tune_space_knob(space->space, i)->value_count)
      return false;
  return true;
}

tune_status tune_task_space_write_open(const tune_task_space *space, const tune_anchors *anchors) {
  size_t task = task_index(space, anchors);
  tune_task_choices_form form = make_form(space, space->schedule->space);
  if (!space->task->is_cut)
    form.first_cut = tune_extraction_find_cut(anchors->extraction, task);
  for (size_t i = 0; i < space->task->occurrence_count; ++i) {
    MlirOperation op = space->task->occurrences[i].anchor;
    if (tune_anchors_is_of(anchors, op, task))
      TUNE_RETURN_IF_ERROR(tune_task_choices_write_open(op, &form));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Decided
//===--------------------------------------------------------------------------===//

// Decides `schedule`, a copy of the space's, and hands it out; it is destroyed on failure.
static tune_status decide_copy(const tune_task_space *space, const tune_config *config,
                               MlirOperation schedule, MlirOperation *out_schedule) {
  tune_status status = tune_schedule_select(schedule, space->space, config);
  if (!tune_status_is_ok(status)) {
    mlirOperationDestroy(schedule);
    schedule = (MlirOperation){NULL};
  }
  *out_schedule = schedule;
  return status;
}

tune_status tune_task_space_decide(const tune_task_space *space, const tune_config *config,
                                   MlirOperation *out_schedule) {
  return decide_copy(space, config ? config : &space->config,
                     mlirOperationClone(space->schedule->module), out_schedule);
}

typedef struct unsplit {
  const tune_task_space *space;
  const tune_config *config;
  bool remarks;
} unsplit;

static void remark_unsplit(const unsplit *self, const char *knob, const char *taken,
                           const char *chosen) {
  const tune_extracted_task *task = self->space->task;
  tune_remark_emit(task->location,
                   "'%s' takes %s = %s here, not %s: that is for code which is split in two, one "
                   "part to be called once, as `tune-run --emit=so` makes it",
                   task->name, knob, taken, chosen);
}

// The region that TUNE_UNSPLIT_ATTRIBUTE says, by its number or its label.
static int64_t read_unsplit(MlirAttribute attribute, const tune_knob *knob) {
  if (mlirAttributeIsAInteger(attribute))
    return mlirIntegerAttrGetValueInt(attribute);
  size_t index = 0; // it is there: schedule.c has looked
  while (!tune_ir_string_equal(mlirStringAttrGetValue(attribute), knob->labels[index]))
    ++index;
  return knob->values[index];
}

static MlirWalkResult select_unsplit(MlirOperation op, void *user_data) {
  const unsplit *self = user_data;
  MlirAttribute attribute = tune_ir_attribute(op, TUNE_UNSPLIT_ATTRIBUTE);
  if (!tune_ir_is(op, "transform.tune.alternatives") || mlirAttributeIsNull(attribute))
    return MlirWalkResultAdvance;
  const tune_space *whole = self->space->schedule->space;
  size_t index = tune_schedule_find_knob(whole, op);
  const tune_knob *knob = index == SIZE_MAX ? NULL : tune_space_knob(whole, index);
  if (!knob || knob->value_count < 2)
    return MlirWalkResultAdvance;
  int64_t region = read_unsplit(attribute, knob),
          chosen = tune_config_value(self->config, self->space->space, index);
  if (self->remarks && region != chosen && knob->labels)
    remark_unsplit(self, knob->name, knob->labels[tune_knob_find_value(knob, region)],
                   knob->labels[tune_knob_find_value(knob, chosen)]);
  mlirOperationSetAttributeByName(
      op, tune_ir_string("selected_region_attr"),
      mlirIntegerAttrGet(mlirIntegerTypeSignedGet(mlirOperationGetContext(op), 64), region));
  return MlirWalkResultAdvance;
}

tune_status tune_task_space_decide_unsplit(const tune_task_space *space, const tune_config *config,
                                           bool remarks, MlirOperation *out_schedule) {
  unsplit self = {space, config ? config : &space->config, remarks};
  MlirOperation schedule = mlirOperationClone(space->schedule->module);
  mlirOperationWalk(schedule, select_unsplit, &self, MlirWalkPreOrder);
  return decide_copy(space, self.config, schedule, out_schedule);
}

tune_status tune_task_space_write_script(const tune_task_space *space, const tune_config *config,
                                         char **out_script) {
  *out_script = NULL;
  MlirOperation schedule;
  TUNE_RETURN_IF_ERROR(tune_task_space_decide(space, config, &schedule));
  tune_status status = tune_ir_print(schedule, false, out_script);
  mlirOperationDestroy(schedule);
  return status;
}

//===--------------------------------------------------------------------------===//
// For sessions and the database
//===--------------------------------------------------------------------------===//

// The node that anchors `task` for the first time; NULL where there is none.
static const tune_fusion_node *find_anchor(const tune_extraction *extraction, size_t task) {
  const tune_fusion_groups *groups = extraction->groups;
  for (size_t i = 0; i < groups->group_count; ++i)
    if (extraction->task_of_group[i] == task)
      return &groups->nodes[groups->groups[i].anchor];
  return NULL;
}

static const char *name_type(MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    type = mlirShapedTypeGetElementType(type);
  const char *name = tune_ir_scalar_type_name(type);
  return name ? name : "";
}

const char *tune_task_space_type(const tune_extraction *extraction, size_t task) {
  const tune_fusion_node *anchor = find_anchor(extraction, task);
  const char *operands = tune_task_operands(extraction, task);
  if (operands)
    return operands;
  // Of what is read: bf16 products added up in f32 are work of the bf16 units.
  if (anchor && mlirOperationGetNumOperands(anchor->op) > 0)
    return name_type(mlirValueGetType(mlirOperationGetOperand(anchor->op, 0)));
  return "";
}

void tune_task_space_get_task(const tune_task_space *space, const tune_extraction *extraction,
                              tune_task *out_task) {
  const tune_target_facts *facts = space->facts;
  const tune_extracted_task *task = space->task;
  const char *type = tune_task_space_type(extraction, (size_t)(task - extraction->tasks));
  *out_task = (tune_task){
      .key = task->key.text,
      .name = task->name,
      .payload = task->payload,
      .function = TUNE_TASK_FUNCTION_NAME,
      .schedule = space->schedule_text,
      .schedule_source = space->is_users ? space->origin : NULL,
      .allowed_passes = space->allowed_passes,
      .schedule_digest = space->schedule_digest.text,
      .space = space->space,
      .type = type,
      .flops = (double)task->flops,
      .bytes = (double)task->bytes,
      .reduction = task->reduction_length > 0 ? (int64_t)task->reduction_length : 1,
      .accumulator = tune_task_accumulator(extraction, (size_t)(task - extraction->tasks)),
      .operands = tune_target_rounds_operands(facts->name.kind)
                      ? tune_task_operands(extraction, (size_t)(task - extraction->tasks))
                      : NULL,
      .peak_flops = tune_target_facts_peak(facts, type),
  };
}

tune_status tune_task_space_get_kept_task(const tune_extraction *extraction, size_t task,
                                          tune_kept_task *out_task) {
  const tune_extracted_task *extracted = &extraction->tasks[task];
  const tune_fusion_node *anchor = find_anchor(extraction, task);
  tune_kept_task_init(out_task);
  out_task->key = strdup(extracted->key.text);
  out_task->kind = strdup(tune_task_kind_name(extracted->kind));
  out_task->name = strdup(extracted->name);
  out_task->type = strdup(tune_task_space_type(extraction, task));
  out_task->payload = strdup(extracted->payload);
  out_task->flops = (double)extracted->flops;
  out_task->bytes = (double)extracted->bytes;
  out_task->rank = anchor ? anchor->facts.loop_count : 0;
  out_task->extents = calloc(out_task->rank + 1, sizeof *out_task->extents);
  if (!out_task->key || !out_task->kind || !out_task->name || !out_task->type ||
      !out_task->payload || !out_task->extents) {
    tune_kept_task_deinit(out_task);
    return tune_status_out_of_memory("making the space of a task");
  }
  for (size_t i = 0; i < out_task->rank; ++i)
    out_task->extents[i] = anchor->facts.sizes[i];
  return TUNE_OK;
}
