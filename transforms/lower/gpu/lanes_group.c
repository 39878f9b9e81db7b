//===- lanes_group.c - Reductions over the subgroups of a workgroup ----------===//

#include "transforms/lower/gpu/lanes_group.h"

// Memory for a value of each subgroup, at the beginning of the iteration.
static MlirValue allocate(const tune_lanes_group *group, MlirType type) {
  MlirBlock body = tune_ir_body(group->forall);
  tune_ir_builder builder = tune_ir_builder_before(mlirBlockGetFirstOperation(body));
  int64_t count = group->lanes / group->subgroup;
  MlirAttribute space =
      mlirAttributeParseGet(builder.context, tune_ir_string("#gpu.address_space<workgroup>"));
  MlirType memory = mlirMemRefTypeContiguousGet(type, 1, &count, space);
  int32_t none[] = {0, 0};
  MlirNamedAttribute segments = tune_ir_named(builder.context, "operandSegmentSizes",
                                              mlirDenseI32ArrayGet(builder.context, 2, none));
  return tune_ir_build_result(&builder, &(tune_ir_parts){.name = "memref.alloc",
                                                         .type_count = 1,
                                                         .types = &memory,
                                                         .attribute_count = 1,
                                                         .attributes = &segments});
}

static void wait_for_all(const tune_ir_builder *builder) {
  tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.barrier"});
}

MlirValue tune_lanes_group_combine(const tune_lanes_group *group, const tune_ir_builder *builder,
                                   const tune_combining_kind *combination, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  const char *name = mlirTypeIsAFloat(type) ? combination->floats : combination->integers;
  MlirValue memory = allocate(group, type);
  MlirValue size = tune_ir_build_index(builder, group->subgroup),
            number = tune_ir_build_binary(builder, "arith.divui", group->lane, size),
            in_subgroup = tune_ir_build_binary(builder, "arith.remui", group->lane, size);
  // What was there, of an earlier step of a loop around this, has been read by all.
  wait_for_all(builder);
  tune_ir_builder first = tune_ir_build_if(
      builder, tune_ir_build_compare(builder, "eq", in_subgroup, tune_ir_build_index(builder, 0)));
  MlirValue stored[] = {value, memory, number};
  tune_ir_build(&first,
                &(tune_ir_parts){.name = "memref.store", .operand_count = 3, .operands = stored});
  wait_for_all(builder);
  MlirValue sum = {NULL};
  for (int64_t i = 0; i < group->lanes / group->subgroup; ++i) {
    MlirValue from[] = {memory, tune_ir_build_index(builder, i)};
    MlirValue part = tune_ir_build_value(builder, "memref.load", type, 2, from);
    sum = mlirValueIsNull(sum) ? part : tune_ir_build_binary(builder, name, sum, part);
  }
  return sum;
}
