//===- nest_operands.c - Operands of a nest, by vectors ----------------------------------===//

#include "transforms/lower/cpu/nests/nest_emitter.h"

#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

MlirType tune_nest_vector_type(const tune_nest_emitter *emitter, MlirType element) {
  return mlirVectorTypeGet(1, &emitter->plan->lanes, element);
}

MlirValue tune_nest_as_vector(const tune_nest_emitter *emitter, const tune_nest_value *value) {
  if (!mlirValueIsNull(value->vector))
    return value->vector;
  if (!mlirValueIsNull(value->first))
    return tune_nest_lane_places(emitter, value->first, false);
  MlirType type = tune_nest_vector_type(emitter, mlirValueGetType(value->one));
  return tune_ir_build_value(&emitter->builder, "vector.broadcast", type, 1, &value->one);
}

MlirValue tune_nest_shuffle(const tune_nest_emitter *emitter, MlirValue a, MlirValue b,
                            const int64_t *lanes) {
  MlirValue operands[] = {a, b};
  MlirType type = tune_nest_vector_type(emitter, mlirShapedTypeGetElementType(mlirValueGetType(a)));
  MlirNamedAttribute mask =
      tune_ir_named(emitter->builder.context, "mask",
                    mlirDenseI64ArrayGet(emitter->builder.context, emitter->plan->lanes, lanes));
  return tune_ir_build_result(&emitter->builder, &(tune_ir_parts){.name = "vector.shuffle",
                                                                  .operand_count = 2,
                                                                  .operands = operands,
                                                                  .type_count = 1,
                                                                  .types = &type,
                                                                  .attribute_count = 1,
                                                                  .attributes = &mask});
}

//===--- Places -------------------------------------------------------------------------===//

static MlirValue add(const tune_nest_emitter *emitter, MlirValue place, int64_t steps) {
  if (steps == 0)
    return place;
  return tune_ir_build_binary(&emitter->builder, "arith.addi", place,
                              tune_ir_build_index(&emitter->builder, steps));
}

MlirValue tune_nest_place(const tune_nest_emitter *emitter, size_t loop, tune_nest_copy copy) {
  const tune_nest_plan *plan = emitter->plan;
  bool has_columns = plan->column_loop != TUNE_NEST_NO_LOOP;
  int64_t steps = loop == plan->lane_loop     ? (has_columns ? 0 : copy.vector * plan->lanes)
                  : loop == plan->row_loop    ? copy.row
                  : loop == plan->column_loop ? copy.vector
                  : loop == plan->turned_loop ? copy.turned
                                              : 0;
  return add(emitter, emitter->at[loop], steps);
}

bool tune_nest_clamps(const tune_nest_emitter *emitter) {
  return emitter->is_part && emitter->nest->is_guarded;
}

MlirValue tune_nest_lane_places(const tune_nest_emitter *emitter, MlirValue first, bool clamped) {
  MlirType type = tune_nest_vector_type(emitter, mlirValueGetType(first));
  MlirType index = tune_nest_vector_type(emitter, mlirIndexTypeGet(emitter->builder.context));
  MlirValue steps = tune_ir_build_value(&emitter->builder, "vector.step", index, 0, NULL);
  if (!mlirTypeEqual(type, index))
    steps = tune_ir_build_value(&emitter->builder, "arith.index_cast", type, 1, &steps);
  MlirValue all = tune_ir_build_value(&emitter->builder, "vector.broadcast", type, 1, &first);
  MlirValue places = tune_ir_build_binary(&emitter->builder, "arith.addi", all, steps);
  if (!clamped || !emitter->is_part)
    return places;
  MlirValue last = emitter->last;
  if (!mlirTypeEqual(type, index))
    last = tune_ir_build_value(&emitter->builder, "arith.index_cast", mlirValueGetType(first), 1,
                               &last);
  last = tune_ir_build_value(&emitter->builder, "vector.broadcast", type, 1, &last);
  return tune_ir_build_binary(&emitter->builder, "arith.minsi", places, last);
}

// The step of the lane loop that lane `lane` has; none beyond the end.
static MlirValue lane_place(const tune_nest_emitter *emitter, tune_nest_copy copy, int64_t lane) {
  MlirValue place = add(emitter, tune_nest_place(emitter, emitter->plan->lane_loop, copy), lane);
  if (emitter->is_part)
    place = tune_ir_build_binary(&emitter->builder, "arith.minsi", place, emitter->last);
  return place;
}

// The indices of `operand` with the lane loop at `lane_at`, and the last one moved on by `more`.
static void find_indices(const tune_nest_emitter *emitter, size_t operand, tune_nest_copy copy,
                         MlirValue lane_at, int64_t more, MlirValue *indices) {
  const tune_nest_operand *of = &emitter->nest->operands[operand];
  MlirContext context = emitter->builder.context;
  MlirType index = mlirIndexTypeGet(context);
  MlirValue places[TUNE_NEST_MAX_LOOPS];
  for (size_t loop = 0; loop < emitter->nest->loop_count; ++loop)
    places[loop] =
        loop == emitter->plan->lane_loop ? lane_at : tune_nest_place(emitter, loop, copy);
  for (size_t i = 0; i < of->rank; ++i) {
    MlirAffineExpr expression = mlirAffineMapGetResult(of->map, (intptr_t)i);
    if (mlirAffineExprIsADim(expression)) {
      indices[i] = places[mlirAffineDimExprGetPosition(expression)];
    } else {
      MlirNamedAttribute map =
          tune_ir_named(context, "map",
                        mlirAffineMapAttrGet(mlirAffineMapGet(
                            context, (intptr_t)emitter->nest->loop_count, 0, 1, &expression)));
      indices[i] = tune_ir_build_result(
          &emitter->builder, &(tune_ir_parts){.name = "affine.apply",
                                              .operand_count = (intptr_t)emitter->nest->loop_count,
                                              .operands = places,
                                              .type_count = 1,
                                              .types = &index,
                                              .attribute_count = 1,
                                              .attributes = &map});
    }
    if (i + 1 == of->rank)
      indices[i] = add(emitter, indices[i], more);
  }
}

//===--- Reading ------------------------------------------------------------------------===//

static bool is_bit(MlirType element) {
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1;
}

static MlirValue build_access(const tune_nest_emitter *emitter, const char *name, MlirType type,
                              MlirValue buffer, const MlirValue *indices, size_t rank,
                              const MlirValue *more, size_t more_count) {
  MlirValue operands[TUNE_NEST_MAX_RANK + 4];
  size_t count = 0;
  bool is_store = mlirTypeIsNull(type);
  // vector.store has its value first, all else the buffer.
  if (strcmp(name, "vector.store") == 0 || strcmp(name, "memref.store") == 0) {
    operands[count++] = more[0];
    more_count = 0;
  }
  operands[count++] = buffer;
  for (size_t i = 0; i < rank; ++i)
    operands[count++] = indices[i];
  for (size_t i = 0; i < more_count; ++i)
    operands[count++] = more[i];
  MlirOperation op =
      tune_ir_build(&emitter->builder, &(tune_ir_parts){.name = name,
                                                        .operand_count = (intptr_t)count,
                                                        .operands = operands,
                                                        .type_count = is_store ? 0 : 1,
                                                        .types = &type});
  return is_store ? (MlirValue){NULL} : mlirOperationGetResult(op, 0);
}

// Bytes of which each is a bit, as it is computed with.
static MlirValue to_bits(const tune_nest_emitter *emitter, MlirType element, MlirValue bytes) {
  return is_bit(element) ? tune_ir_build_value(&emitter->builder, "arith.trunci",
                                               tune_nest_vector_type(emitter, element), 1, &bytes)
                         : bytes;
}

static MlirType memory_type(const tune_nest_emitter *emitter, MlirType element) {
  return is_bit(element) ? mlirIntegerTypeGet(emitter->builder.context, 8) : element;
}

static MlirValue load_whole(const tune_nest_emitter *emitter, MlirValue buffer, MlirType element,
                            const MlirValue *indices, size_t rank) {
  MlirType type = tune_nest_vector_type(emitter, memory_type(emitter, element));
  return build_access(emitter, "vector.load", type, buffer, indices, rank, NULL, 0);
}

static MlirValue load_part(const tune_nest_emitter *emitter, MlirValue buffer, MlirType element,
                           const MlirValue *indices, size_t rank, MlirValue mask) {
  MlirType type = tune_nest_vector_type(emitter, memory_type(emitter, element));
  MlirValue more[] = {mask, tune_ir_build_number(&emitter->builder, type, 0)};
  return build_access(emitter, "vector.maskedload", type, buffer, indices, rank, more, 2);
}

MlirValue tune_nest_load(const tune_nest_emitter *emitter, MlirValue buffer, MlirType element,
                         const MlirValue *indices, size_t rank) {
  return to_bits(emitter, element,
                 emitter->is_part
                     ? load_part(emitter, buffer, element, indices, rank, emitter->mask)
                     : load_whole(emitter, buffer, element, indices, rank));
}

static MlirValue read_apart(const tune_nest_emitter *emitter, size_t o, tune_nest_copy copy) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue indices[TUNE_NEST_MAX_RANK], elements[TUNE_NEST_MAX_LANES];
  for (int64_t lane = 0; lane < emitter->plan->lanes; ++lane) {
    find_indices(emitter, o, copy, lane_place(emitter, copy, lane), 0, indices);
    elements[lane] = build_access(emitter, "memref.load", operand->element, operand->value, indices,
                                  operand->rank, NULL, 0);
  }
  return tune_ir_build_value(&emitter->builder, "vector.from_elements",
                             tune_nest_vector_type(emitter, operand->element), emitter->plan->lanes,
                             elements);
}

// Which lanes of a vector, `start` behind the element at step `at` of the lane loop, may be read:
// not those behind the element of the last step. Of f16 and bytes on some CPUs such a read is a
// branch for each lane, as it is elsewhere.
static MlirValue strided_mask(const tune_nest_emitter *emitter, size_t o, MlirValue at,
                              int64_t start) {
  const tune_ir_builder *builder = &emitter->builder;
  MlirType type =
      mlirVectorTypeGet(1, &emitter->plan->lanes, mlirIntegerTypeGet(emitter->builder.context, 1));
  MlirValue steps = tune_ir_build_binary(builder, "arith.subi", emitter->last, at);
  MlirValue elements = tune_ir_build_binary(builder, "arith.muli", steps,
                                            tune_ir_build_index(builder, emitter->plan->stride[o]));
  MlirValue count = tune_ir_build_binary(builder, "arith.addi", elements,
                                         tune_ir_build_index(builder, 1 - start));
  return tune_ir_build_value(builder, "vector.create_mask", type, 1, &count);
}

// Vectors on end, the last of which ends where the last element is, and of these every second, say.
static MlirValue read_strided(const tune_nest_emitter *emitter, size_t o, tune_nest_copy copy) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  int64_t lanes = emitter->plan->lanes, stride = emitter->plan->stride[o];
  int64_t from[TUNE_NEST_MAX_LANES];
  MlirValue indices[TUNE_NEST_MAX_RANK], vector = {NULL};
  MlirValue at = tune_nest_place(emitter, emitter->plan->lane_loop, copy);
  if (stride == -1) {
    find_indices(emitter, o, copy, at, 1 - lanes, indices);
    vector = load_whole(emitter, emitter->buffers[o], operand->element, indices, operand->rank);
    for (int64_t lane = 0; lane < lanes; ++lane)
      from[lane] = lanes - 1 - lane;
    return to_bits(emitter, operand->element, tune_nest_shuffle(emitter, vector, vector, from));
  }
  for (int64_t part = 0; part < stride; ++part) {
    int64_t start = part + 1 < stride ? part * lanes : (lanes - 1) * stride + 1 - lanes;
    find_indices(emitter, o, copy, at, start, indices);
    MlirValue next =
        emitter->is_part
            ? load_part(emitter, emitter->buffers[o], operand->element, indices, operand->rank,
                        strided_mask(emitter, o, at, start))
            : load_whole(emitter, emitter->buffers[o], operand->element, indices, operand->rank);
    if (part == 0) {
      vector = next;
      continue;
    }
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t element = lane * stride;
      bool is_here =
          element >= part * lanes && (element < (part + 1) * lanes || part + 1 == stride);
      from[lane] = is_here                        ? lanes + element - start
                   : part == 1 && element < lanes ? element
                                                  : lane;
    }
    vector = tune_nest_shuffle(emitter, vector, next, from);
  }
  return to_bits(emitter, operand->element, vector);
}

static tune_nest_value *read_before(tune_nest_emitter *emitter, size_t o, tune_nest_copy copy) {
  const tune_nest_loops *nest = emitter->nest;
  const tune_nest_plan *plan = emitter->plan;
  size_t vectors_of = plan->column_loop == TUNE_NEST_NO_LOOP ? plan->lane_loop : plan->column_loop;
  int64_t vector = tune_nest_depends(nest, o, vectors_of) ? copy.vector : 0;
  int64_t row = plan->row_loop != TUNE_NEST_NO_LOOP && tune_nest_depends(nest, o, plan->row_loop)
                    ? copy.row
                    : 0;
  int64_t turned =
      plan->turned_loop != TUNE_NEST_NO_LOOP && tune_nest_depends(nest, o, plan->turned_loop)
          ? copy.turned
          : 0;
  return &emitter
              ->read[((((int64_t)o * TUNE_NEST_MAX_VECTORS + vector) * TUNE_NEST_MAX_ROWS + row) *
                      plan->lanes) +
                     turned];
}

// Squares of two lines, of four, ...: each time the halves that lie crosswise change places.
static void turn(const tune_nest_emitter *emitter, MlirValue *lines) {
  int64_t lanes = emitter->plan->lanes, low[TUNE_NEST_MAX_LANES], high[TUNE_NEST_MAX_LANES];
  for (int64_t side = 1; side < lanes; side *= 2) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool is_upper = lane & side;
      low[lane] = is_upper ? lanes + lane - side : lane;
      high[lane] = is_upper ? lanes + lane : lane + side;
    }
    for (int64_t line = 0; line < lanes; ++line) {
      if (line & side)
        continue;
      MlirValue first = lines[line], second = lines[line + side];
      lines[line] = tune_nest_shuffle(emitter, first, second, low);
      lines[line + side] = tune_nest_shuffle(emitter, first, second, high);
    }
  }
}

static void read_square(tune_nest_emitter *emitter, size_t o, tune_nest_copy copy) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue indices[TUNE_NEST_MAX_RANK], lines[TUNE_NEST_MAX_LANES];
  tune_nest_copy first = copy;
  first.turned = 0;
  MlirType bit = mlirIntegerTypeGet(emitter->builder.context, 1);
  MlirValue mask = {NULL}, count = tune_ir_build_index(&emitter->builder, emitter->steps);
  if (emitter->is_short)
    mask = tune_ir_build_value(&emitter->builder, "vector.create_mask",
                               tune_nest_vector_type(emitter, bit), 1, &count);
  for (int64_t lane = 0; lane < emitter->plan->lanes; ++lane) {
    find_indices(emitter, o, first, lane_place(emitter, copy, lane), 0, indices);
    lines[lane] = emitter->is_short ? load_part(emitter, emitter->buffers[o], operand->element,
                                                indices, operand->rank, mask)
                                    : load_whole(emitter, emitter->buffers[o], operand->element,
                                                 indices, operand->rank);
  }
  turn(emitter, lines);
  for (int64_t step = 0; step < emitter->steps; ++step) {
    first.turned = step;
    read_before(emitter, o, first)->vector = to_bits(emitter, operand->element, lines[step]);
  }
}

tune_nest_value tune_nest_read(tune_nest_emitter *emitter, size_t o, tune_nest_copy copy) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  if (!operand->is_buffer)
    return (tune_nest_value){.one = operand->value};
  tune_nest_value *value = read_before(emitter, o, copy);
  if (!mlirValueIsNull(value->one) || !mlirValueIsNull(value->vector))
    return *value;
  MlirValue indices[TUNE_NEST_MAX_RANK];
  MlirValue at = tune_nest_place(emitter, emitter->plan->lane_loop, copy);
  tune_nest_access access = emitter->plan->access[o];
  bool is_square = emitter->is_short || emitter->steps == emitter->plan->lanes;
  if (access == TUNE_NEST_SAME) {
    find_indices(emitter, o, copy, at, 0, indices);
    value->one = build_access(emitter, "memref.load", operand->element, operand->value, indices,
                              operand->rank, NULL, 0);
  } else if (access == TUNE_NEST_CONTIGUOUS && !tune_nest_clamps(emitter)) {
    find_indices(emitter, o, copy, at, 0, indices);
    value->vector =
        tune_nest_load(emitter, emitter->buffers[o], operand->element, indices, operand->rank);
    tune_nest_fetch_ahead(emitter, o, copy, indices);
  } else if (access == TUNE_NEST_STRIDED &&
             (!emitter->is_part || (emitter->plan->stride[o] > 1 && !tune_nest_clamps(emitter)))) {
    value->vector = read_strided(emitter, o, copy);
  } else if (access == TUNE_NEST_TURNED && is_square) {
    read_square(emitter, o, copy);
  } else {
    value->vector = read_apart(emitter, o, copy);
  }
  return *value;
}

void tune_nest_forget(tune_nest_emitter *emitter) {
  size_t copies = (size_t)(TUNE_NEST_MAX_VECTORS * TUNE_NEST_MAX_ROWS * emitter->plan->lanes);
  memset(emitter->read, 0, emitter->nest->operand_count * copies * sizeof *emitter->read);
}

//===--- Writing ------------------------------------------------------------------------===//

// From the last lane to the first: those beyond the end write to its place before it does.
static void write_apart(tune_nest_emitter *emitter, size_t o, tune_nest_copy copy,
                        MlirValue value) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue indices[TUNE_NEST_MAX_RANK];
  for (int64_t lane = emitter->plan->lanes; lane-- > 0;) {
    find_indices(emitter, o, copy, lane_place(emitter, copy, lane), 0, indices);
    MlirValue element = tune_ir_build_lane(&emitter->builder, value, lane);
    build_access(emitter, "memref.store", (MlirType){NULL}, operand->value, indices, operand->rank,
                 &element, 1);
  }
}

static MlirAttribute one_number(const tune_nest_emitter *emitter, int64_t number) {
  MlirContext context = emitter->builder.context;
  MlirAttribute attribute = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), number);
  return mlirArrayAttrGet(context, 1, &attribute);
}

MlirValue tune_nest_take_lanes(const tune_nest_emitter *emitter, MlirValue vector, int64_t at,
                               int64_t count) {
  MlirContext context = emitter->builder.context;
  MlirType type =
      mlirVectorTypeGet(1, &count, mlirShapedTypeGetElementType(mlirValueGetType(vector)));
  MlirNamedAttribute attributes[] = {tune_ir_named(context, "offsets", one_number(emitter, at)),
                                     tune_ir_named(context, "sizes", one_number(emitter, count)),
                                     tune_ir_named(context, "strides", one_number(emitter, 1))};
  return tune_ir_build_result(&emitter->builder,
                              &(tune_ir_parts){.name = "vector.extract_strided_slice",
                                               .operand_count = 1,
                                               .operands = &vector,
                                               .type_count = 1,
                                               .types = &type,
                                               .attribute_count = 3,
                                               .attributes = attributes});
}

// Writes the first `left` lanes of `value` in pieces of 1, 2, 4, ... lanes: AVX2's store with a
// mask takes as long as ten others, and there is none for elements of 8 and 16 bits.
static void write_pieces(tune_nest_emitter *emitter, size_t o, tune_nest_copy copy,
                         MlirValue value) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue place = tune_nest_place(emitter, emitter->plan->lane_loop, copy);
  int64_t size = emitter->plan->lanes / 2;
  for (int64_t done = 0; done < emitter->left; size /= 2) {
    if (size > emitter->left - done)
      continue;
    MlirValue piece = tune_nest_take_lanes(emitter, value, done, size);
    MlirValue indices[TUNE_NEST_MAX_RANK];
    find_indices(emitter, o, copy, add(emitter, place, done), 0, indices);
    build_access(emitter, "vector.store", (MlirType){NULL}, emitter->buffers[o], indices,
                 operand->rank, &piece, 1);
    done += size;
  }
}

void tune_nest_write(tune_nest_emitter *emitter, size_t o, tune_nest_copy copy, MlirValue value) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue indices[TUNE_NEST_MAX_RANK];
  if (emitter->plan->access[o] != TUNE_NEST_CONTIGUOUS &&
      emitter->plan->access[o] != TUNE_NEST_SAME) {
    write_apart(emitter, o, copy, value);
    return;
  }
  find_indices(emitter, o, copy, tune_nest_place(emitter, emitter->plan->lane_loop, copy), 0,
               indices);
  if (emitter->plan->access[o] == TUNE_NEST_SAME) {
    build_access(emitter, "memref.store", (MlirType){NULL}, operand->value, indices, operand->rank,
                 &value, 1);
    return;
  }
  if (is_bit(operand->element))
    value = tune_ir_build_value(
        &emitter->builder, "arith.extui",
        tune_nest_vector_type(emitter, memory_type(emitter, operand->element)), 1, &value);
  MlirValue more[] = {emitter->mask, value};
  if (emitter->is_part && emitter->left && emitter->plan->stores_pieces)
    write_pieces(emitter, o, copy, value);
  else if (emitter->is_part)
    build_access(emitter, "vector.maskedstore", (MlirType){NULL}, emitter->buffers[o], indices,
                 operand->rank, more, 2);
  else
    build_access(emitter, "vector.store", (MlirType){NULL}, emitter->buffers[o], indices,
                 operand->rank, &value, 1);
}

//===--- Elements -----------------------------------------------------------------------===//

MlirValue tune_nest_read_one(const tune_nest_emitter *emitter, size_t o) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue indices[TUNE_NEST_MAX_RANK];
  if (!operand->is_buffer)
    return operand->value;
  find_indices(emitter, o, (tune_nest_copy){0}, emitter->at[emitter->plan->lane_loop], 0, indices);
  return build_access(emitter, "memref.load", operand->element, operand->value, indices,
                      operand->rank, NULL, 0);
}

void tune_nest_write_one(const tune_nest_emitter *emitter, size_t o, MlirValue value) {
  const tune_nest_operand *operand = &emitter->nest->operands[o];
  MlirValue indices[TUNE_NEST_MAX_RANK];
  find_indices(emitter, o, (tune_nest_copy){0}, emitter->at[emitter->plan->lane_loop], 0, indices);
  build_access(emitter, "memref.store", (MlirType){NULL}, operand->value, indices, operand->rank,
               &value, 1);
}
