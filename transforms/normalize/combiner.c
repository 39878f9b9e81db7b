//===- combiner.c -------------------------------------------------------------===//

#include "transforms/normalize/combiner.h"

#include "transforms/ir/arith_facts.h"

static const tune_combiner COMBINERS[] = {
    {"arith.addf", 0, false}, {"arith.addi", 0, false},           {"arith.mulf", 1, false},
    {"arith.muli", 1, false}, {"arith.maximumf", -1 / 0.0, true}, {"arith.minimumf", 1 / 0.0, true},
};

static const tune_combiner *combiner_of(MlirOperation op) {
  for (size_t i = 0; i < sizeof COMBINERS / sizeof *COMBINERS; ++i)
    if (tune_ir_is(op, COMBINERS[i].name))
      return &COMBINERS[i];
  return NULL;
}

const tune_combiner *tune_combiner_find(MlirOperation op, MlirOperation *out_combine) {
  MlirBlock body = tune_ir_body(op);
  if (mlirBlockIsNull(body))
    return NULL;
  MlirOperation combine =
      tune_ir_definition(mlirOperationGetOperand(mlirBlockGetTerminator(body), 0));
  const tune_combiner *kind = mlirOperationIsNull(combine) ? NULL : combiner_of(combine);
  // In another order integers that were promised not to overflow might.
  if (!kind || tune_arith_promises_no_overflow(combine) ||
      (!kind->is_extremum &&
       tune_ir_is_short_float(mlirValueGetType(mlirOperationGetResult(combine, 0)))))
    return NULL;
  MlirValue a = mlirOperationGetOperand(combine, 0), b = mlirOperationGetOperand(combine, 1),
            first = mlirBlockGetArgument(body, 0), second = mlirBlockGetArgument(body, 1);
  *out_combine = combine;
  return (mlirValueEqual(a, first) && mlirValueEqual(b, second)) ||
                 (mlirValueEqual(a, second) && mlirValueEqual(b, first))
             ? kind
             : NULL;
}

MlirRegion tune_combiner_build_body(const tune_ir_builder *builder, MlirOperation combine,
                                    intptr_t inputs) {
  MlirType element = mlirValueGetType(mlirOperationGetResult(combine, 0));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i <= inputs; ++i)
    mlirBlockAddArgument(block, element, builder->location);
  MlirOperation copy = mlirOperationClone(combine);
  mlirOperationSetOperand(copy, 0, mlirBlockGetArgument(block, inputs));
  mlirOperationSetOperand(copy, 1, mlirBlockGetArgument(block, 0));
  mlirBlockAppendOwnedOperation(block, copy);
  tune_ir_builder body = tune_ir_builder_at_end(block, builder->location);
  MlirValue combined = mlirOperationGetResult(copy, 0);
  tune_ir_build(
      &body, &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &combined});
  return tune_ir_make_region(block);
}
