//===- ir_builder.h - A builder of ops ---------------------------------------===//
//
// A builder is a place in a block and a location. Whoever makes more than an op or two uses it.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_IR_BUILDER_H
#define TUNE_TRANSFORMS_IR_IR_BUILDER_H

#include "transforms/ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_ir_builder {
  MlirContext context;
  MlirLocation location;
  MlirBlock block;      // that ops go into
  MlirOperation before; // which one of it; null: at the end
} tune_ir_builder;

// Loops that are made, at most.
#define TUNE_IR_MAX_LOOPS 32

// What an op is made of. What is not set is empty; names and arrays are borrowed.
typedef struct tune_ir_parts {
  const char *name;
  intptr_t operand_count, type_count, attribute_count, region_count;
  const MlirValue *operands;
  const MlirType *types; // of the results
  const MlirNamedAttribute *attributes;
  MlirRegion *regions; // owned by the op from then on
} tune_ir_parts;

// Loads the dialects named, NULL after the last: those of the ops that are made have to be.
void tune_ir_load_dialects(MlirContext context, const char *const *names);

// A builder at `op`: its location, and new ops come before it.
tune_ir_builder tune_ir_builder_before(MlirOperation op);
// A builder whose new ops come after those of `block`.
tune_ir_builder tune_ir_builder_at_end(MlirBlock block, MlirLocation location);

//===- Ops ---------------------------------------------------------------------------===//

MlirOperation tune_ir_build(const tune_ir_builder *builder, const tune_ir_parts *parts);
// The same of an op with one result; that.
MlirValue tune_ir_build_result(const tune_ir_builder *builder, const tune_ir_parts *parts);

// An op with one result of `type` and no attributes; its result.
MlirValue tune_ir_build_value(const tune_ir_builder *builder, const char *name, MlirType type,
                              intptr_t operand_count, const MlirValue *operands);
// An op of two operands of one type, which is that of its result.
MlirValue tune_ir_build_binary(const tune_ir_builder *builder, const char *name, MlirValue a,
                               MlirValue b);
// arith.select
MlirValue tune_ir_build_select(const tune_ir_builder *builder, MlirValue condition, MlirValue a,
                               MlirValue b);
// vector.extract of what is at `count` numbers of `position`, which has `type`.
MlirValue tune_ir_build_extract(const tune_ir_builder *builder, MlirValue vector,
                                const int64_t *position, intptr_t count, MlirType type);
// Element `place` of `vector`, which has one dimension.
MlirValue tune_ir_build_lane(const tune_ir_builder *builder, MlirValue vector, int64_t place);
// arith.constant of `attribute`, which has `type`.
MlirValue tune_ir_build_constant(const tune_ir_builder *builder, MlirType type,
                                 MlirAttribute attribute);
MlirValue tune_ir_build_index(const tune_ir_builder *builder, int64_t value);
// The same before `place`.
MlirValue tune_ir_make_index(MlirOperation place, int64_t value);
// A constant of `type`, of floats or integers: a scalar, or a vector of all the same.
MlirValue tune_ir_build_number(const tune_ir_builder *builder, MlirType type, double number);
// arith.cmpi of integers and indices, as "slt", "ult", "eq"; arith.cmpf of floats, as "olt", "une".
// Of scalars, or of vectors of one dimension.
MlirValue tune_ir_build_compare(const tune_ir_builder *builder, const char *predicate, MlirValue a,
                                MlirValue b);

//===- Bodies ------------------------------------------------------------------------===//

// A block that takes `count` indices.
MlirBlock tune_ir_make_block(const tune_ir_builder *builder, size_t count);
// A region of that block, which it owns.
MlirRegion tune_ir_make_region(MlirBlock block);
// A copy of the first region of `op`.
MlirRegion tune_ir_clone_region(MlirOperation op);

// scf.if without results; the builder is in it, at its end.
tune_ir_builder tune_ir_build_if(const tune_ir_builder *builder, MlirValue condition);
// scf.for from 0 to `end` in steps of 1, which carries `initial`. Its body has the index and what
// is carried as arguments, and nothing in it: not its end. A builder is there.
tune_ir_builder tune_ir_build_for(const tune_ir_builder *builder, int64_t end,
                                  intptr_t initial_count, const MlirValue *initial,
                                  MlirOperation *out_loop);

// scf.forall without results over `count` indices, at most TUNE_IR_MAX_LOOPS, each from 0 to its
// extent; its body has them as arguments. The builder is in it, before its end.
tune_ir_builder tune_ir_build_forall(const tune_ir_builder *builder, size_t count,
                                     const int64_t *extents, MlirOperation *out_forall);

// linalg.fill of `into`, a buffer or a tensor, with `value`; of a tensor it has a result.
MlirOperation tune_ir_build_fill(const tune_ir_builder *builder, MlirValue value, MlirValue into);

// linalg.generic that writes each element of `from` to `to`, of the same shape, through the op
// `conversion`. Both are tensors, and it has a result, or buffers.
MlirOperation tune_ir_build_conversion(const tune_ir_builder *builder, const char *conversion,
                                       MlirValue from, MlirValue to);

// memref.alloc of a buffer of the shape of `like`, a memref, in the same memory, dense, whose
// elements are of type `element`. It has at most TUNE_IR_MAX_RANK dimensions.
MlirValue tune_ir_build_buffer_like(const tune_ir_builder *builder, MlirValue like,
                                    MlirType element);

// memref.prefetch, into the second cache, of what is read at `operands`: a buffer and its indices,
// `count` in all.
void tune_ir_build_prefetch(const tune_ir_builder *builder, intptr_t count,
                            const MlirValue *operands);

// Moves `op` to where the builder is.
void tune_ir_move(const tune_ir_builder *builder, MlirOperation op);
// Moves all ops of `block` to there.
void tune_ir_move_all(const tune_ir_builder *builder, MlirBlock block);
// The same but for its last, the terminator.
void tune_ir_move_body(const tune_ir_builder *builder, MlirBlock block);

//===- Changing ----------------------------------------------------------------------===//

// Gives `op` the operands `more`, behind those it has. OUT_OF_MEMORY alone.
tune_status tune_ir_append_operands(MlirOperation op, intptr_t count, const MlirValue *more);

// Puts a loop in the place of `loop`, a scf.for, that carries `initial` as well: the last arguments
// of its body, which is the same, and its last results. What it hands on of these is for the caller
// to append to the scf.yield at the end.
MlirOperation tune_ir_carry_more(MlirOperation loop, intptr_t count, const MlirValue *initial);

//===- Reading -----------------------------------------------------------------------===//

// Whether `value` is an arith.constant of type index; `*out_value` is then which.
bool tune_ir_is_constant_index(MlirValue value, int64_t *out_value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_IR_BUILDER_H
