//===- measured_sizes.c -------------------------------------------------------===//

#include "transforms/tasks/measured_sizes.h"

#include "dialects/argument_sizes.h"
#include "formats/signature.h"
#include "transforms/ir/ir.h"
#include "transforms/normalize/marks.h"
#include "transforms/tasks/size_evaluation.h"

#include "mlir-c/Dialect/Func.h"

#include <stdlib.h>

// A mark is ";ARGUMENT.DIMENSION=SIZE" for each size that is open.

static tune_status write_mark(MlirOperation function, char **out_text) {
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    MlirType input = mlirFunctionTypeGetInput(type, i);
    intptr_t rank = mlirTypeIsARankedTensor(input) ? mlirShapedTypeGetRank(input) : 0;
    for (intptr_t d = 0; d < rank; ++d) {
      int64_t size;
      if (tune_argument_get_measured_size(function, i, d, &size))
        tune_string_builder_appendf(&text, ";%zd.%zd=%lld", i, d, (long long)size);
    }
  }
  return tune_string_builder_finish(&text, out_text);
}

static void mark_op(MlirOperation op, size_t number, void *user_data) {
  (void)number;
  tune_marks_add_sizes(op, user_data);
}

tune_status tune_measured_sizes_mark(MlirOperation module) {
  if (!tune_ir_is(module, "builtin.module"))
    return TUNE_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    char *text = NULL;
    if (!tune_ir_is(op, "func.func"))
      continue;
    TUNE_RETURN_IF_ERROR(write_mark(op, &text));
    if (*text)
      tune_marks_walk(op, mark_op, text);
    free(text);
  }
  return TUNE_OK;
}

static int64_t read_mark(void *user, intptr_t argument, intptr_t dimension) {
  const char *text = user;
  for (const char *at = strchr(text, ';'); at; at = strchr(at + 1, ';')) {
    char *end;
    long long its_argument = strtoll(at + 1, &end, 10);
    long long its_dimension = *end == '.' ? strtoll(end + 1, &end, 10) : -1;
    if (its_argument == argument && its_dimension == dimension && *end == '=')
      return strtoll(end + 1, NULL, 10);
  }
  return 0;
}

// The mark of any op of the group, or NULL.
static const char *find_mark(const tune_fusion_groups *groups, size_t group) {
  const tune_fusion_group *described = &groups->groups[group];
  const char *mark = NULL;
  for (size_t i = 0; i < described->count && !mark; ++i)
    mark = tune_marks_get_sizes(
        mlirOperationGetLocation(groups->nodes[groups->members[described->first + i]].op));
  return mark;
}

static void set_argument(MlirOperation function, intptr_t index, MlirValue value,
                         const tune_given_sizes *given) {
  int64_t shape[TUNE_RANK_LIMIT];
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeHasStaticShape(type) ||
      mlirShapedTypeGetRank(type) > TUNE_RANK_LIMIT)
    return;
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size = tune_size_evaluate(value, d, given);
    shape[d] = size && size <= INT32_MAX ? size : TUNE_DYNAMIC_SIZE;
    if (!mlirShapedTypeIsDynamicDim(type, d))
      shape[d] = mlirShapedTypeGetDimSize(type, d);
  }
  mlirFuncSetArgAttr(
      function, index, tune_ir_string(TUNE_MEASURED_AT_ATTRIBUTE),
      tune_argument_make_measured_at(mlirOperationGetContext(function), shape, (size_t)rank));
}

void tune_measured_sizes_set(const tune_fusion_groups *groups, size_t group,
                             const tune_task_function *function) {
  const char *mark = find_mark(groups, group);
  if (!mark)
    return;
  tune_given_sizes given = {read_mark, (void *)mark};
  for (size_t i = 0; i < function->input_count; ++i)
    set_argument(function->function, (intptr_t)i, function->inputs[i], &given);
}

int64_t tune_measured_sizes_get(const tune_fusion_groups *groups, size_t group, MlirValue value,
                                intptr_t dimension) {
  MlirType type = mlirValueGetType(value);
  if (!mlirShapedTypeIsDynamicDim(type, dimension))
    return mlirShapedTypeGetDimSize(type, dimension);
  const char *mark = find_mark(groups, group);
  const tune_given_sizes given = {read_mark, (void *)mark};
  int64_t size = mark ? tune_size_evaluate(value, dimension, &given) : 0;
  return size ? size : -1;
}

// The loops that are a dimension of `value`, operand `operand`, or of a pad its result.
static void fill_of_value(const tune_fusion_groups *groups, size_t group, MlirValue value,
                          size_t operand, tune_op_facts *facts) {
  MlirType type = mlirValueGetType(value);
  bool is_pad = facts->op_class == TUNE_OP_PAD;
  intptr_t rank = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetRank(type) : 0;
  for (intptr_t d = 0; d < rank; ++d) {
    size_t loop = is_pad ? (size_t)d : tune_op_facts_loop(facts, operand, (size_t)d);
    if (loop < facts->loop_count && facts->sizes[loop] < 0)
      facts->sizes[loop] = tune_measured_sizes_get(groups, group, value, d);
  }
}

void tune_measured_sizes_fill(const tune_fusion_groups *groups, size_t group, MlirOperation op,
                              tune_op_facts *facts) {
  if (facts->op_class == TUNE_OP_PAD) {
    fill_of_value(groups, group, mlirOperationGetResult(op, 0), 0, facts);
    return;
  }
  for (size_t i = 0; i < facts->input_count + facts->result_count; ++i)
    fill_of_value(groups, group, mlirOperationGetOperand(op, (intptr_t)i), i, facts);
}

//===--------------------------------------------------------------------------===//
// Names
//===--------------------------------------------------------------------------===//

// Sizes in a name; of more the first ones say enough.
#define MOST_NAMED 4

static void name_argument(MlirOperation function, intptr_t index, MlirType type, int64_t *named,
                          size_t *count) {
  intptr_t rank = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetRank(type) : 0;
  for (intptr_t d = 0; d < rank && *count < MOST_NAMED; ++d) {
    int64_t size;
    size_t known = 0;
    if (!mlirShapedTypeIsDynamicDim(type, d) ||
        !tune_argument_get_measured_size(function, index, d, &size))
      continue;
    while (known < *count && named[known] != size)
      ++known;
    named[known] = size;
    *count += known == *count;
  }
}

void tune_measured_sizes_append(tune_string_builder *name, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
  int64_t named[MOST_NAMED];
  size_t count = 0;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    name_argument(function, i, mlirFunctionTypeGetInput(type, i), named, &count);
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_appendf(name, "%s%lld", i ? "," : " at ", (long long)named[i]);
}
