//===- operand.c - Questions about the operands of a nest --------------------===//

#include "transforms/structure/structure.h"

#include <string.h>

unsigned tune_operand_register_bits(const tune_operand *operand) {
  bool is_narrow = strcmp(operand->type, "f16") == 0 || strcmp(operand->type, "bf16") == 0;
  return is_narrow ? 32 : operand->bits;
}

int64_t tune_operand_bytes(const tune_operand *operand) {
  int64_t bytes = operand->bits / 8;
  for (size_t i = 0; i < operand->rank; i++) {
    if (operand->shape[i] == TUNE_DYNAMIC_EXTENT)
      return 0;
    bytes *= operand->shape[i];
  }
  return bytes;
}

bool tune_operand_is_loop(const tune_operand *operand, size_t dimension, size_t loop) {
  const tune_index *index = &operand->index[dimension];
  if (!index->is_linear || index->constant != 0 || index->coefficient[loop] != 1)
    return false;
  for (size_t d = 0; d < TUNE_MAX_LOOPS; d++)
    if (d != loop && index->coefficient[d] != 0)
      return false;
  return true;
}

size_t tune_operand_find_loop(const tune_operand *operand, size_t loop) {
  for (size_t i = 0; i < operand->rank; i++)
    if (tune_operand_is_loop(operand, i, loop))
      return i;
  return SIZE_MAX;
}

int64_t tune_operand_coefficient(const tune_operand *operand, size_t loop) {
  for (size_t i = 0; i < operand->rank; i++)
    if (operand->index[i].coefficient[loop] != 0)
      return operand->index[i].coefficient[loop];
  return 0;
}

bool tune_operand_is_projection(const tune_operand *operand) {
  for (size_t i = 0; i < operand->rank; i++) {
    size_t loops = 0;
    for (size_t d = 0; d < TUNE_MAX_LOOPS; d++)
      loops += operand->index[i].coefficient[d] != 0;
    if (!operand->index[i].is_linear || loops > 1)
      return false;
    for (size_t d = 0; d < TUNE_MAX_LOOPS; d++)
      if (operand->index[i].coefficient[d] > 1 || operand->index[i].coefficient[d] < 0)
        return false;
  }
  return true;
}

size_t tune_operand_contiguous_loop(const tune_nest *nest, const tune_operand *operand) {
  if (operand->rank == 0)
    return TUNE_NO_LOOP;
  const tune_index *last = &operand->index[operand->rank - 1];
  size_t found = TUNE_NO_LOOP, terms = 0;
  for (size_t d = 0; d < nest->loop_count; d++) {
    if (last->coefficient[d] == 0)
      continue;
    terms++;
    if (last->coefficient[d] == 1 && (found == TUNE_NO_LOOP || !nest->is_reduction[d]))
      found = d;
  }
  return last->is_linear && terms <= 2 ? found : TUNE_NO_LOOP;
}

int64_t tune_nest_parallel_steps(const tune_nest *nest, const size_t *but, size_t count) {
  enum { MOST = 1000000 };
  double steps = 1;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    bool counts = !nest->is_reduction[loop];
    for (size_t i = 0; i < count && counts; i++)
      counts = but[i] != loop;
    steps *= counts ? (double)nest->extent[loop] : 1;
  }
  return steps < MOST ? (int64_t)steps : MOST;
}

bool tune_nest_is_plain(const tune_nest *nest) {
  for (size_t o = 0; o < nest->operand_count; o++)
    for (size_t d = 0; d < nest->operands[o].rank; d++) {
      bool is_loop = false;
      for (size_t loop = 0; loop < nest->loop_count; loop++)
        is_loop |= tune_operand_is_loop(&nest->operands[o], d, loop);
      if (!is_loop)
        return false;
    }
  return true;
}
