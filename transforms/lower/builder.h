//===- builder.h - Ops made one by one ----------------------------------------------===//
//
// A few words for code that makes ops before a place. The dialects of what is made have to be
// loaded (tune_build_load).
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_BUILDER_H
#define TUNE_TRANSFORMS_LOWER_BUILDER_H

#include "transforms/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

// What an op is made of; what is left out there is none of.
typedef struct tune_build_parts {
  const MlirValue *operands;
  size_t operand_count;
  const MlirType *results;
  size_t result_count;
  const MlirNamedAttribute *attributes;
  size_t attribute_count;
  MlirBlock body; // of the only region of the op, which takes it
} tune_build_parts;

// Loads the dialects named, NULL after the last.
void tune_build_load(MlirContext context, const char *const *dialects);

// Makes an op before `place`, at its location.
MlirOperation tune_build_op(MlirOperation place, const char *name, const tune_build_parts *parts);
// The same, of its only result, which is of the type `type`.
MlirValue tune_build_value(MlirOperation place, const char *name, const MlirValue *operands,
                           size_t operand_count, MlirType type);
// The same of two operands of the result's type, "arith.addi".
MlirValue tune_build_binary(MlirOperation place, const char *name, MlirValue left, MlirValue right);

// An scf.for before `place` from 0 to `end` in steps of 1, which carries `initial`. Its body, which
// is returned, has the index and what is carried as arguments, and nothing in it: not its end.
MlirBlock tune_build_loop(MlirOperation place, int64_t end, const MlirValue *initial,
                          size_t initial_count, MlirOperation *out_loop);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_BUILDER_H
