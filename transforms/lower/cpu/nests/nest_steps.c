//===- nest_steps.c - Loops and parts of vectors that are being written ----------------------===//

#include "transforms/lower/cpu/nests/nest_emitter.h"

void tune_nest_begin_part(tune_nest_emitter *e, MlirValue left, int64_t known) {
  MlirType bits = tune_nest_vector_type(e, mlirIntegerTypeGet(e->builder.context, 1));
  e->mask = tune_ir_build_value(&e->builder, "vector.create_mask", bits, 1, &left);
  e->left = known;
  e->is_part = true;
}

MlirValue tune_nest_begin_loop(tune_nest_emitter *e, int64_t steps, intptr_t count,
                               MlirValue *carried, tune_nest_open_loop *out_loop) {
  out_loop->outside = e->builder;
  out_loop->count = count;
  e->builder = tune_ir_build_for(&out_loop->outside, steps, count, carried, &out_loop->op);
  for (intptr_t i = 0; i < count; ++i)
    carried[i] = mlirBlockGetArgument(e->builder.block, 1 + i);
  return mlirBlockGetArgument(e->builder.block, 0);
}

void tune_nest_end_loop(tune_nest_emitter *e, const tune_nest_open_loop *loop, MlirValue *carried) {
  tune_ir_build(
      &e->builder,
      &(tune_ir_parts){.name = "scf.yield", .operand_count = loop->count, .operands = carried});
  for (intptr_t i = 0; i < loop->count; ++i)
    carried[i] = mlirOperationGetResult(loop->op, i);
  e->builder = loop->outside;
}

bool tune_nest_begin_vectors(tune_nest_emitter *e, int64_t vectors, int64_t *done, intptr_t count,
                             MlirValue *carried, tune_nest_open_loop *out_loop) {
  size_t lane_loop = e->plan->lane_loop;
  int64_t step = vectors * e->plan->lanes, steps = (e->nest->extent[lane_loop] - *done) / step;
  if (steps == 0)
    return false;
  MlirValue index = tune_nest_begin_loop(e, steps, count, carried, out_loop);
  MlirValue at = tune_ir_build_binary(&e->builder, "arith.muli", index,
                                      tune_ir_build_index(&e->builder, step));
  e->at[lane_loop] =
      tune_ir_build_binary(&e->builder, "arith.addi", at, tune_ir_build_index(&e->builder, *done));
  e->vectors = vectors;
  *done += steps * step;
  return true;
}
