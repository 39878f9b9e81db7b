//===- op_list.c --------------------------------------------------------------===//

#include "transforms/ir/op_list.h"

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

void tune_op_list_deinit(tune_op_list *list) {
  free(list->ops);
  *list = (tune_op_list){.failed = list->failed};
}
