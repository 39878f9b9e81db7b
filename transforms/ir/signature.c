//===- signature.c - The signature of a function, for its artifact -----------===//

#include "transforms/ir/signature.h"

#include "dialects/argument_sizes.h"
#include "dialects/constant.h"
#include "dialects/diagnostic.h"
#include "dialects/printing.h"
#include "transforms/ir/exactness.h"
#include "transforms/ir/input_facts.h"
#include "transforms/ir/ir_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(TUNE_RANK_LIMIT == TUNE_IR_MAX_RANK, "whatever IR is built for can be handed over");

static tune_status read_value(MlirOperation function, MlirType type, const char *what, size_t index,
                              tune_value_type *out_value) {
  MlirType element = type;
  out_value->is_scalar = !mlirTypeIsARankedTensor(type) && !mlirTypeIsAMemRef(type);
  if (!out_value->is_scalar) {
    element = mlirShapedTypeGetElementType(type);
    out_value->rank = (size_t)mlirShapedTypeGetRank(type);
    if (out_value->rank > TUNE_RANK_LIMIT)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 "%s %zu has %zu dimensions; an artifact takes at most %d", what,
                                 index, out_value->rank, TUNE_RANK_LIMIT);
    for (size_t i = 0; i < out_value->rank; ++i)
      out_value->shape[i] = mlirShapedTypeIsDynamicDim(type, (intptr_t)i)
                                ? TUNE_DYNAMIC
                                : mlirShapedTypeGetDimSize(type, (intptr_t)i);
  }
  const char *name = tune_ir_scalar_type_name(element);
  if (name)
    return tune_element_type_parse(name, &out_value->element);
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirTypePrint(type, tune_printing_append, &text);
  tune_status status = tune_status_make_at(
      TUNE_INVALID_ARGUMENT, function,
      "%s %zu has the type %s; what is run takes scalars, ranked tensors and memrefs of f16, bf16, "
      "f32, f64, i1, i8, i16, i32, i64 and index%s",
      what, index, text.text ? text.text : "?",
      mlirTypeIsAComplex(element)
          ? ": hand over real and imaginary parts by themselves, for complex.create, and give them "
            "back so, by complex.re and complex.im"
          : "");
  tune_string_builder_deinit(&text);
  return status;
}

//===--------------------------------------------------------------------------===//
// Which results live in which argument
//===--------------------------------------------------------------------------===//

// The operand in whose memory op makes its result number `result`, as far as that is fixed before
// bufferization, or a null value.
static MlirValue find_destination(MlirOperation op, intptr_t result) {
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_string_starts(name, "linalg.")) {
    MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
    if (tune_ir_string_equal(name, "linalg.softmax"))
      return mlirOperationGetOperand(op, 1);
    if (mlirAttributeIsNull(segments) || mlirDenseArrayGetNumElements(segments) != 2)
      return (MlirValue){NULL};
    return mlirOperationGetOperand(op, mlirDenseI32ArrayGetElement(segments, 0) + result);
  }
  if (tune_ir_string_equal(name, "tensor.insert_slice") ||
      tune_ir_string_equal(name, "tensor.insert") ||
      tune_ir_string_equal(name, "vector.transfer_write") ||
      tune_ir_string_equal(name, "bufferization.materialize_in_destination"))
    return mlirOperationGetOperand(op, 1);
  if (tune_ir_string_equal(name, "scf.for"))
    return mlirOperationGetOperand(op, 3 + result);
  return (MlirValue){NULL};
}

// The number of the argument whose memory `value` is made in, or -1. An argument that is returned
// as it came counts as none: nothing was written.
static ptrdiff_t find_argument(MlirValue value, MlirBlock entry) {
  bool written = false;
  while (!mlirValueIsABlockArgument(value)) {
    value = find_destination(mlirOpResultGetOwner(value), mlirOpResultGetResultNumber(value));
    if (mlirValueIsNull(value))
      return -1;
    written = true;
  }
  if (!written || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), entry))
    return -1;
  return mlirBlockArgumentGetArgNumber(value);
}

static bool may_be_written(MlirValue value, int depth);

// Whether the function that `call` calls may write to the memory that is its argument `number`.
static bool may_callee_write(MlirOperation call, unsigned number, int depth) {
  enum { MOST_CALLS = 16 }; // one in another, lest functions call each other for ever
  MlirOperation function = tune_ir_called_function(call);
  return depth == MOST_CALLS || mlirOperationIsNull(function) ||
         may_be_written(mlirBlockGetArgument(tune_ir_body(function), number), depth + 1);
}

// Whether `op` may write to the memory that is its operand `number`, or what sees it otherwise.
static bool may_write(MlirOperation op, unsigned number, int depth) {
  static const char *const reading[] = {"memref.load",          "memref.dim",
                                        "memref.prefetch",      "affine.load",
                                        "vector.load",          "vector.gather",
                                        "vector.transfer_read", "affine.vector_load",
                                        "vector.maskedload",    NULL};
  static const char *const views[] = {"memref.subview",           "memref.cast",
                                      "memref.expand_shape",      "memref.collapse_shape",
                                      "memref.memory_space_cast", "memref.reinterpret_cast",
                                      "memref.assume_alignment",  NULL};
  if (tune_ir_string_starts(tune_ir_name(op), "linalg.")) {
    MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
    return mlirAttributeIsNull(segments) || mlirDenseArrayGetNumElements(segments) != 2 ||
           number >= (unsigned)mlirDenseI32ArrayGetElement(segments, 0);
  }
  if (tune_ir_is_one_of(op, reading) || (tune_ir_is(op, "memref.copy") && number == 0) ||
      (tune_ir_is(op, "bufferization.to_tensor") &&
       mlirAttributeIsNull(tune_ir_attribute(op, "writable"))))
    return false;
  if (tune_ir_is_one_of(op, views))
    return may_be_written(mlirOperationGetResult(op, 0), depth);
  return !tune_ir_is(op, "func.call") || may_callee_write(op, number, depth);
}

// Whether something may write to the memref `value`, looking through views of it.
static bool may_be_written(MlirValue value, int depth) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (may_write(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), depth))
      return true;
  return false;
}

// The func.return of a body of one block; a null op where there are several.
static MlirOperation find_return(MlirOperation function) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
    return (MlirOperation){NULL};
  return mlirBlockGetTerminator(entry);
}

static tune_status find_outputs(MlirOperation function, tune_function_signature *signature) {
  MlirBlock entry = tune_ir_body(function);
  tune_value_type *arguments = signature->interface.arguments;
  for (size_t i = 0; i < signature->interface.argument_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, (intptr_t)i);
    if (mlirTypeIsAMemRef(mlirValueGetType(argument)))
      arguments[i].is_readwrite = may_be_written(argument, 0);
  }
  MlirOperation back = find_return(function);
  for (size_t i = 0; i < signature->function_result_count; ++i) {
    signature->destinations[i] = -1;
    if (mlirOperationIsNull(back))
      continue;
    MlirValue value = mlirOperationGetOperand(back, (intptr_t)i);
    if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
      continue;
    ptrdiff_t argument = find_argument(value, entry);
    // What is packed ahead of the calls would be that of the first call.
    if (argument < 0 || arguments[argument].is_readwrite || arguments[argument].is_constant ||
        !mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(entry, argument)),
                       mlirValueGetType(value)))
      continue;
    arguments[argument].is_readwrite = true;
    signature->destinations[i] = argument;
  }
  return TUNE_OK;
}

static void read_measured(MlirOperation function, size_t index, tune_value_type *argument) {
  argument->has_measured = argument->rank > 0;
  for (size_t d = 0; d < argument->rank; ++d)
    argument->has_measured &= tune_argument_get_measured_size(function, (intptr_t)index,
                                                              (intptr_t)d, &argument->measured[d]);
}

// Which values the arguments should have, and what is known of the results then.
static void read_facts(MlirOperation function, tune_signature *of) {
  for (size_t i = 0; i < of->argument_count; ++i) {
    tune_input_hint hint = tune_input_hint_of(function, (intptr_t)i);
    of->arguments[i].has_range = hint.has_range;
    of->arguments[i].is_whole = hint.is_whole;
    of->arguments[i].is_flag = hint.is_flag;
    of->arguments[i].is_divisor = hint.is_divisor;
    of->arguments[i].range[0] = hint.low;
    of->arguments[i].range[1] = hint.high;
    read_measured(function, i, &of->arguments[i]);
  }
  tune_input_facts facts = tune_input_facts_of(function);
  of->is_partial = facts.is_partial;
  of->takes_special = facts.takes_special;
  of->sums_arguments = facts.sums_arguments;
  of->keeps_steps = facts.keeps_steps;
  of->has_infinities = facts.has_infinities;
  of->keeps_zeros = facts.keeps_zeros;
  const char *sums = mlirTypeIsNull(facts.sums) ? NULL : tune_ir_scalar_type_name(facts.sums);
  if (sums) {
    tune_status status = tune_element_type_parse(sums, &of->sum_type);
    of->has_sum_type = tune_status_is_ok(status);
    tune_status_free(status);
  }
  tune_exactness exactness = tune_exactness_of(function);
  of->selects = exactness.selects;
  of->exact_limit = exactness.limit;
}

static tune_status read_function(MlirOperation function, tune_function_signature *signature) {
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
  tune_signature *of = &signature->interface;
  of->argument_count = (size_t)mlirFunctionTypeGetNumInputs(type);
  signature->function_result_count = (size_t)mlirFunctionTypeGetNumResults(type);
  of->entry = strdup("tune_entry");
  of->arguments = calloc(of->argument_count + 1, sizeof *of->arguments);
  of->results = calloc(signature->function_result_count + 1, sizeof *of->results);
  signature->destinations =
      calloc(signature->function_result_count + 1, sizeof *signature->destinations);
  if (!of->entry || !of->arguments || !of->results || !signature->destinations)
    return tune_status_out_of_memory("reading a signature");
  for (size_t i = 0; i < of->argument_count; ++i)
    TUNE_RETURN_IF_ERROR(read_value(function, mlirFunctionTypeGetInput(type, (intptr_t)i),
                                    "argument", i, &of->arguments[i]));
  for (size_t i = 0; i < of->argument_count; ++i)
    of->arguments[i].is_constant = tune_constant_is_argument(function, (intptr_t)i);
  TUNE_RETURN_IF_ERROR(find_outputs(function, signature));
  read_facts(function, of);
  for (size_t i = 0; i < signature->function_result_count; ++i) {
    if (signature->destinations[i] >= 0)
      continue;
    TUNE_RETURN_IF_ERROR(read_value(function, mlirFunctionTypeGetResult(type, (intptr_t)i),
                                    "result", i, &of->results[of->result_count]));
    ++of->result_count;
  }
  return TUNE_OK;
}

tune_status tune_function_signature_create(MlirOperation function,
                                           tune_function_signature **out_signature) {
  *out_signature = NULL;
  tune_function_signature *signature = calloc(1, sizeof *signature);
  if (!signature)
    return tune_status_out_of_memory("reading a signature");
  tune_status status = read_function(function, signature);
  if (!tune_status_is_ok(status)) {
    tune_function_signature_destroy(signature);
    return status;
  }
  *out_signature = signature;
  return TUNE_OK;
}

void tune_function_signature_destroy(tune_function_signature *signature) {
  if (!signature)
    return;
  tune_signature_deinit(&signature->interface);
  free(signature->destinations);
  free(signature);
}
