//===- op_list.c --------------------------------------------------------------===//

#include "transforms/ir/op_list.h"

#include "transforms/ir/ir.h"

#include <stdlib.h>

bool tune_op_list_add(tune_op_list *list, MlirOperation op) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 16;
    MlirOperation *ops = realloc(list->ops, capacity * sizeof *ops);
    if (!ops) {
      list->failed = true;
      return false;
    }
    list->ops = ops;
    list->capacity = capacity;
  }
  list->ops[list->count++] = op;
  return true;
}

bool tune_op_list_add_once(tune_op_list *list, MlirOperation op) {
  for (size_t i = 0; i < list->count; ++i)
    if (mlirOperationEqual(list->ops[i], op))
      return true;
  return tune_op_list_add(list, op);
}

void tune_op_list_destroy_unused(tune_op_list *list) {
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t i = 0; i < list->count; ++i)
      if (!mlirOperationIsNull(list->ops[i]) && !tune_ir_is_used(list->ops[i])) {
        mlirOperationDestroy(list->ops[i]);
        list->ops[i] = (MlirOperation){NULL};
        changes = true;
      }
  }
}

bool tune_op_list_destroy_below(MlirOperation root, MlirOperationWalkCallback list) {
  tune_op_list found = {0};
  mlirOperationWalk(root, list, &found, MlirWalkPreOrder);
  tune_op_list_destroy_unused(&found);
  tune_op_list_deinit(&found);
  return !found.failed;
}

void tune_op_list_deinit(tune_op_list *list) {
  free(list->ops);
  *list = (tune_op_list){.failed = list->failed};
}
