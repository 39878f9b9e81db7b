//===- ir_builder.h - Making ops one after the other -------------------------------===//
//
// A builder is a place in a block and a location. Whoever makes more than an op or two uses it.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_BUILDER_H
#define TUNE_TRANSFORMS_IR_BUILDER_H

#include "transforms/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_ir_builder {
  MlirContext context;
  MlirLocation location;
  MlirBlock block;      // that ops go into
  MlirOperation before; // which one of it; null: at the end
} tune_ir_builder;

// What an op is made of. What is not set is empty; names and arrays are borrowed.
typedef struct tune_ir_parts {
  const char *name;
  intptr_t operand_count, type_count, attribute_count, region_count;
  const MlirValue *operands;
  const MlirType *types; // of the results
  const MlirNamedAttribute *attributes;
  MlirRegion *regions; // owned by the op from then on
} tune_ir_parts;

// A builder at `op`: its location, and new ops come before it.
tune_ir_builder tune_ir_builder_before(MlirOperation op);

MlirOperation tune_ir_build(const tune_ir_builder *builder, const tune_ir_parts *parts);

// An op with one result of `type` and no attributes; its result.
MlirValue tune_ir_build_value(const tune_ir_builder *builder, const char *name, MlirType type,
                              intptr_t operand_count, const MlirValue *operands);
// An op of two operands of one type, which is that of its result.
MlirValue tune_ir_build_binary(const tune_ir_builder *builder, const char *name, MlirValue a,
                               MlirValue b);
// arith.constant of `attribute`, which has `type`.
MlirValue tune_ir_build_constant(const tune_ir_builder *builder, MlirType type,
                                 MlirAttribute attribute);
MlirValue tune_ir_build_index(const tune_ir_builder *builder, int64_t value);
// arith.cmpi of two indices, as "slt", "ult", "eq".
MlirValue tune_ir_build_compare(const tune_ir_builder *builder, const char *predicate, MlirValue a,
                                MlirValue b);

// Whether `value` is an arith.constant of type index; `*out_value` is then which.
bool tune_ir_is_constant_index(MlirValue value, int64_t *out_value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_BUILDER_H
