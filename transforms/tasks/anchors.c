//===- anchors.c --------------------------------------------------------------===//

#include "transforms/tasks/anchors.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"

typedef struct choice_check {
  const tune_anchors *anchors;
  const char *target;
  tune_status status;
} choice_check;

static MlirWalkResult check_op(MlirOperation op, void *user_data) {
  choice_check *check = user_data;
  tune_choices choices;
  if (!tune_choices_are_on(op))
    return MlirWalkResultAdvance;
  check->status = tune_choices_read(op, check->target, &choices);
  bool is_meant = choices.count > 0;
  tune_choices_deinit(&choices);
  if (!tune_status_is_ok(check->status))
    return MlirWalkResultInterrupt;
  if (!is_meant)
    return MlirWalkResultAdvance;
  size_t task = tune_op_map_get(&check->anchors->task_of_op, op.ptr);
  if (task == TUNE_OP_MAP_NONE)
    check->status = tune_status_make_at(
        TUNE_INVALID_ARGUMENT, op,
        TUNE_CHOICES_ATTRIBUTE ": this op stands for no task, so that nobody would read its "
                               "choices\nnote: `tune-opt --tune-annotate` puts them where they "
                               "belong, `--tune-extract` lists the tasks");
  else if (task == TUNE_ANCHOR_OF_SEVERAL)
    check->status = tune_status_make_at(
        TUNE_INVALID_ARGUMENT, op,
        TUNE_CHOICES_ATTRIBUTE ": the function of this op is inlined in several places, where the "
                               "op is part of different tasks; inline it before you choose");
  return tune_status_is_ok(check->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status note_anchors(tune_anchors *anchors, size_t task) {
  const tune_extracted_task *extracted = &anchors->extraction->tasks[task];
  for (size_t i = 0; i < extracted->occurrence_count; ++i) {
    MlirOperation op = extracted->occurrences[i].anchor;
    if (mlirOperationIsNull(op))
      continue;
    size_t known = tune_op_map_get(&anchors->task_of_op, op.ptr);
    if (known != task)
      TUNE_RETURN_IF_ERROR(tune_op_map_set(
          &anchors->task_of_op, op.ptr, known == TUNE_OP_MAP_NONE ? task : TUNE_ANCHOR_OF_SEVERAL));
  }
  return TUNE_OK;
}

tune_status tune_anchors_init(tune_anchors *anchors, const tune_extraction *extraction) {
  *anchors = (tune_anchors){.extraction = extraction};
  tune_op_map_init(&anchors->task_of_op);
  tune_status status = TUNE_OK;
  for (size_t task = 0; task < extraction->task_count && tune_status_is_ok(status); ++task)
    status = note_anchors(anchors, task);
  if (!tune_status_is_ok(status))
    tune_anchors_deinit(anchors);
  return status;
}

tune_status tune_anchors_check(const tune_anchors *anchors, MlirOperation module,
                               const char *target) {
  choice_check check = {.anchors = anchors, .target = target};
  mlirOperationWalk(module, check_op, &check, MlirWalkPreOrder);
  return check.status;
}

void tune_anchors_deinit(tune_anchors *anchors) { tune_op_map_deinit(&anchors->task_of_op); }

bool tune_anchors_is_of(const tune_anchors *anchors, MlirOperation op, size_t task) {
  return !mlirOperationIsNull(op) && tune_op_map_get(&anchors->task_of_op, op.ptr) == task;
}
