//===- schedule.c - A transform script and the space read off it -------------===//

#include "transforms/schedule/schedule.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/schedule_constraints.h"
#include "transforms/schedule/schedule_knobs.h"
#include "transforms/schedule/schedule_passes.h"
#include "transforms/schedule/schedule_result.h"

#include <stdlib.h>

#define ENTRY_SEQUENCE "__transform_main"

// Where a knob does something: in alternatives, wherever it appears in some.
typedef struct knob_places {
  tune_string_builder text; // "'pack' == 1 || 'pack' == 2 && 'loops' == 0"
  bool is_anywhere;         // it appears outside of alternatives, too
} knob_places;

typedef struct space_reader {
  tune_space *space;
  bool constraints; // the second walk: a constraint may stand before the last knob it reads
  knob_places *places;
  tune_status status;
} space_reader;

static tune_status read_place(MlirOperation op, const tune_space *space, knob_places *all) {
  size_t knob = tune_schedule_find_knob(space, op), depth = 0;
  if (knob == SIZE_MAX)
    return TUNE_OK;
  knob_places *places = &all[knob];
  tune_string_builder condition;
  tune_string_builder_init(&condition);
  tune_status status = tune_schedule_write_condition(&condition, op, &depth);
  // A region that is chosen by what is known late may be any one.
  if (tune_status_get_code(status) == TUNE_INVALID_ARGUMENT) {
    tune_status_free(status);
    status = TUNE_OK;
    depth = 0;
  }
  if (depth == 0)
    places->is_anywhere = true;
  else if (!condition.failed)
    tune_string_builder_appendf(&places->text, "%s%s", places->text.length ? " || " : "",
                                condition.text);
  bool failed = condition.failed || places->text.failed;
  tune_string_builder_deinit(&condition);
  return !tune_status_is_ok(status) ? status
         : failed                   ? tune_status_out_of_memory("reading where a knob is")
                                    : TUNE_OK;
}

static MlirWalkResult read_op(MlirOperation op, void *user_data) {
  space_reader *reader = user_data;
  if (reader->constraints) {
    if (tune_ir_is(op, "transform.smt.constrain_params"))
      reader->status = tune_schedule_read_constraints(op, reader->space);
    else if (tune_ir_is(op, "transform.tune.knob") ||
             (tune_ir_is(op, "transform.tune.alternatives") &&
              mlirOperationGetNumOperands(op) == 0))
      reader->status = read_place(op, reader->space, reader->places);
  } else if (tune_ir_is(op, "transform.tune.knob")) {
    reader->status = tune_schedule_read_knob(op, reader->space);
  } else if (tune_ir_is(op, "transform.tune.alternatives")) {
    reader->status = tune_schedule_read_alternatives(op, reader->space);
  }
  return tune_status_is_ok(reader->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status add_conditions(const knob_places *places, tune_space *space) {
  for (size_t i = 0; i < tune_space_knob_count(space); ++i)
    if (!places[i].is_anywhere && places[i].text.length &&
        tune_space_knob(space, i)->value_count > 1)
      TUNE_RETURN_IF_ERROR(tune_space_add_condition(space, i, places[i].text.text));
  return TUNE_OK;
}

static tune_status read_constraints(MlirOperation module, space_reader *reader) {
  size_t count = tune_space_knob_count(reader->space);
  reader->constraints = true;
  reader->places = calloc(count + 1, sizeof *reader->places);
  if (!reader->places)
    return tune_status_out_of_memory("reading a schedule");
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_init(&reader->places[i].text);
  mlirOperationWalk(module, read_op, reader, MlirWalkPreOrder);
  tune_status status = reader->status;
  if (tune_status_is_ok(status))
    status = add_conditions(reader->places, reader->space);
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_deinit(&reader->places[i].text);
  free(reader->places);
  return status;
}

static tune_status read_space(MlirOperation module, tune_space **out_space) {
  *out_space = NULL;
  space_reader reader = {0};
  TUNE_RETURN_IF_ERROR(tune_space_create(&reader.space));
  mlirOperationWalk(module, read_op, &reader, MlirWalkPreOrder);
  if (tune_status_is_ok(reader.status))
    reader.status = read_constraints(module, &reader);
  if (!tune_status_is_ok(reader.status)) {
    tune_space_destroy(reader.space);
    return reader.status;
  }
  *out_space = reader.space;
  return TUNE_OK;
}

static tune_status parse_module(MlirContext context, const char *text, const char *source,
                                MlirOperation *out_module) {
  TUNE_RETURN_IF_ERROR(tune_ir_parse(context, text, source, out_module));
  MlirOperation entry = tune_ir_find_symbol(*out_module, tune_ir_string(ENTRY_SEQUENCE));
  if (!tune_ir_is(entry, "transform.named_sequence"))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, *out_module,
                               "the schedule %s has no transform.named_sequence @" ENTRY_SEQUENCE,
                               source);
  return TUNE_OK;
}

tune_status tune_schedule_parse(MlirContext context, const char *text, const char *source,
                                const char *allowed_passes, tune_schedule **out_schedule) {
  *out_schedule = NULL;
  tune_schedule *schedule = calloc(1, sizeof *schedule);
  if (!schedule)
    return tune_status_out_of_memory("parsing the schedule");
  tune_status status = parse_module(context, text, source, &schedule->module);
  if (tune_status_is_ok(status))
    status = tune_schedule_check_passes(schedule->module, allowed_passes);
  if (tune_status_is_ok(status))
    status = tune_schedule_check_annotations(schedule->module);
  if (tune_status_is_ok(status))
    status = read_space(schedule->module, &schedule->space);
  if (!tune_status_is_ok(status)) {
    tune_schedule_destroy(schedule);
    return status;
  }
  *out_schedule = schedule;
  return TUNE_OK;
}

void tune_schedule_destroy(tune_schedule *schedule) {
  if (!schedule)
    return;
  if (!mlirOperationIsNull(schedule->module))
    mlirOperationDestroy(schedule->module);
  tune_space_destroy(schedule->space);
  free(schedule);
}

tune_status tune_schedule_require_knobs(const tune_schedule *schedule) {
  if (tune_space_knob_count(schedule->space) > 0)
    return TUNE_OK;
  return tune_status_make_at(TUNE_FAILED_PRECONDITION, schedule->module,
                             "the schedule has no knob: nothing in it is left open, so there is "
                             "nothing to search; write transform.tune.knob or "
                             "transform.tune.alternatives where a decision is to be made");
}
