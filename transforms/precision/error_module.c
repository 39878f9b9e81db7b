//===- error_module.c ---------------------------------------------------------===//

#include "transforms/precision/error_module.h"

#include "dialects/allow.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/normalize/batches.h"
#include "transforms/normalize/element_op.h"
#include "transforms/normalize/quantized/byte_products.h"
#include "transforms/normalize/quantized/scaled_bytes.h"

#include <math.h>
#include <stdlib.h>

#define WRITING "writing a module that tells errors"

typedef struct writer {
  MlirContext context;
  MlirOperation function;
  MlirBlock block;
  size_t sets, switches;
  tune_ir_builder at; // in the loop
  MlirValue table, index;
  MlirValue *switch_of; // of each product in the loop; the last: of the set that is kept
  intptr_t *outputs;    // which results are looked at
  size_t output_count;
} writer;

//===- Linalg -----------------------------------------------------------------===//

static MlirAffineMap scalar_map(MlirContext context, intptr_t loops) {
  return mlirAffineMapZeroResultGet(context, loops, 0);
}

// A tensor of one `element`.
static MlirType scalar_of(MlirType element) {
  return mlirRankedTensorTypeGet(0, NULL, element, (MlirAttribute){NULL});
}

static intptr_t rank_of(MlirValue tensor) {
  return mlirShapedTypeGetRank(mlirValueGetType(tensor));
}

static MlirValue build_is(const tune_ir_builder *inside, MlirValue number, tune_rounded_to which) {
  return tune_ir_build_compare(
      inside, "oeq", number, tune_ir_build_number(inside, mlirF32TypeGet(inside->context), which));
}

static MlirValue build_rounded(const tune_ir_builder *inside, MlirValue number, MlirType to) {
  MlirValue rounded = tune_ir_build_value(inside, "arith.truncf", to, 1, &number);
  return tune_ir_build_value(inside, "arith.extf", mlirF32TypeGet(inside->context), 1, &rounded);
}

// `value`, of f32, or what it is as bf16, as f16, or as bytes, by its switch. `is_kept` is NULL
// where it is never of bytes: it is no number then.
static MlirValue build_switched(const writer *w, const tune_ir_builder *at, MlirValue value,
                                MlirValue is_on, const bool *is_kept) {
  MlirType f32 = mlirF32TypeGet(w->context);
  intptr_t rank = rank_of(value);
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(w->context, rank);
  tune_scaled_bytes scaled = {.bytes = {NULL}};
  if (is_kept)
    scaled = tune_scaled_bytes_build(at, value, is_kept);
  // Where sizes are not known itself has those of what is written.
  MlirValue into = tune_tensor_is_plain(mlirValueGetType(value))
                       ? tune_ir_build_value(at, "tensor.empty", mlirValueGetType(value), 0, NULL)
                       : value;
  tune_element_op op = tune_element_op_begin(at);
  MlirValue number = tune_element_op_add(&op, value, same);
  MlirValue which = tune_element_op_add(&op, is_on, scalar_map(w->context, rank));
  MlirValue chosen =
      tune_ir_build_select(&op.inside, build_is(&op.inside, which, TUNE_ROUNDED_BF16),
                           build_rounded(&op.inside, number, mlirBF16TypeGet(w->context)), number);
  chosen =
      tune_ir_build_select(&op.inside, build_is(&op.inside, which, TUNE_ROUNDED_F16),
                           build_rounded(&op.inside, number, mlirF16TypeGet(w->context)), chosen);
  MlirValue by_bytes;
  if (is_kept) {
    MlirValue byte = tune_element_op_add(&op, scaled.bytes, same);
    MlirValue scale = tune_element_op_add(&op, scaled.scale, scaled.scale_map);
    byte = tune_ir_build_value(&op.inside, "arith.sitofp", f32, 1, &byte);
    by_bytes = tune_ir_build_binary(&op.inside, "arith.mulf", byte, scale);
  } else {
    by_bytes = tune_ir_build_number(&op.inside, f32, NAN); // nobody is to take it for exact
  }
  chosen = tune_ir_build_select(&op.inside, build_is(&op.inside, which, TUNE_ROUNDED_INT8),
                                by_bytes, chosen);
  tune_element_op_add(&op, into, same);
  return tune_element_op_end(&op, chosen);
}

// `now`, or `before` where the last switch is off.
static MlirValue build_kept(const writer *w, MlirValue now, MlirValue before) {
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(w->context, rank_of(now));
  tune_element_op op = tune_element_op_begin(&w->at);
  MlirValue new = tune_element_op_add(&op, now, same);
  MlirValue is_off = build_is(
      &op.inside,
      tune_element_op_add(&op, w->switch_of[w->switches], scalar_map(w->context, rank_of(now))),
      TUNE_ROUNDED_NOT);
  MlirValue old = tune_element_op_add(&op, before, same);
  return tune_element_op_end(&op, tune_ir_build_select(&op.inside, is_off, old, new));
}

static MlirValue build_f64(const tune_ir_builder *inside, MlirValue number) {
  MlirType f64 = mlirF64TypeGet(inside->context);
  return mlirTypeIsAF64(mlirValueGetType(number))
             ? number
             : tune_ir_build_value(inside, "arith.extf", f64, 1, &number);
}

// tensor<f64>: the sum of the squares of a, or where `b` is not null of a - b.
static MlirValue build_squares(const writer *w, MlirValue a, MlirValue b) {
  MlirType f64 = mlirF64TypeGet(w->context);
  MlirValue empty = tune_ir_build_value(&w->at, "tensor.empty", scalar_of(f64), 0, NULL);
  MlirValue zero = mlirOperationGetResult(
      tune_ir_build_fill(&w->at, tune_ir_build_number(&w->at, f64, 0), empty), 0);
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(w->context, rank_of(a));
  tune_element_op op = tune_element_op_begin(&w->at);
  MlirValue number = build_f64(&op.inside, tune_element_op_add(&op, a, same));
  if (!mlirValueIsNull(b))
    number = tune_ir_build_binary(&op.inside, "arith.subf", number,
                                  build_f64(&op.inside, tune_element_op_add(&op, b, same)));
  MlirValue square = tune_ir_build_binary(&op.inside, "arith.mulf", number, number);
  MlirValue sum = tune_element_op_add(&op, zero, scalar_map(w->context, rank_of(a)));
  return tune_element_op_end(&op, tune_ir_build_binary(&op.inside, "arith.addf", sum, square));
}

//===- Slices of the tables -----------------------------------------------------===//

// tensor.extract_slice or tensor.insert_slice of element [index, column], a tensor<f32>.
static MlirValue build_element(const writer *w, const char *name, intptr_t count,
                               const MlirValue *values, MlirType type, int64_t column) {
  MlirValue operands[3];
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = values[i];
  operands[count] = w->index;
  const int64_t offsets[] = {INT64_MIN, column}, ones[] = {1, 1};
  // The source, of insert_slice the destination, too; the one offset that is no number.
  const int32_t of_extract[] = {1, 1, 0, 0}, of_insert[] = {1, 1, 1, 0, 0};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(w->context, "static_offsets", mlirDenseI64ArrayGet(w->context, 2, offsets)),
      tune_ir_named(w->context, "static_sizes", mlirDenseI64ArrayGet(w->context, 2, ones)),
      tune_ir_named(w->context, "static_strides", mlirDenseI64ArrayGet(w->context, 2, ones)),
      tune_ir_named(
          w->context, "operandSegmentSizes",
          mlirDenseI32ArrayGet(w->context, count + 3, count == 1 ? of_extract : of_insert))};
  return tune_ir_build_result(&w->at, &(tune_ir_parts){.name = name,
                                                       .operand_count = count + 1,
                                                       .operands = operands,
                                                       .type_count = 1,
                                                       .types = &type,
                                                       .attribute_count = 4,
                                                       .attributes = attributes});
}

//===- Products -----------------------------------------------------------------===//

static MlirWalkResult find_product(MlirOperation op, void *user_data) {
  if (!mlirAttributeIsNull(tune_ir_attribute(op, TUNE_ERROR_SWITCH)))
    tune_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static bool is_of_f32(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) && mlirTypeIsAF32(mlirShapedTypeGetElementType(type));
}

// Behind a tensor.pad a convolution would no longer be one of an image with a border.
static MlirValue build_factor(const writer *w, MlirOperation product, MlirValue value,
                              MlirValue is_on, const bool *is_kept) {
  tune_ir_builder before = tune_ir_builder_before(product);
  MlirOperation made = tune_ir_definition(value);
  if (mlirOperationIsNull(made) || !tune_ir_is(made, "tensor.pad") ||
      !is_of_f32(mlirOperationGetOperand(made, 0)))
    return build_switched(w, &before, value, is_on, is_kept);
  MlirValue from = mlirOperationGetOperand(made, 0);
  MlirValue source = build_switched(w, &before, from, is_on,
                                    tune_tensor_is_plain(mlirValueGetType(from)) ? is_kept : NULL);
  MlirOperation pad = mlirOperationClone(made);
  mlirOperationSetOperand(pad, 0, source);
  mlirBlockInsertOwnedOperationBefore(before.block, product, pad);
  return mlirOperationGetResult(pad, 0);
}

// Of all that it reads but what it adds to.
static void round_factors(const writer *w, MlirOperation product) {
  MlirAttribute which = tune_ir_attribute(product, TUNE_ERROR_SWITCH);
  MlirValue is_on = w->switch_of[mlirIntegerAttrGetValueInt(which)];
  intptr_t count = mlirOperationGetNumOperands(product) - mlirOperationGetNumResults(product);
  // Of the product as it came: what is made of constants depends on a switch afterwards.
  bool is_kept[2][TUNE_IR_MAX_RANK];
  bool has_bytes = count == 2 && tune_byte_products_kept(product, 0, is_kept[0]) &&
                   tune_byte_products_kept(product, 1, is_kept[1]);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = mlirOperationGetOperand(product, i);
    if (is_of_f32(value))
      mlirOperationSetOperand(
          product, i, build_factor(w, product, value, is_on, has_bytes ? is_kept[i] : NULL));
  }
  mlirOperationRemoveDiscardableAttributeByName(product, tune_ir_string(TUNE_ERROR_SWITCH));
}

static tune_status round_products(const writer *w) {
  tune_op_list products = {0};
  mlirOperationWalk(w->function, find_product, &products, MlirWalkPreOrder);
  for (size_t i = 0; i < products.count; ++i)
    round_factors(w, products.ops[i]);
  bool failed = products.failed;
  tune_op_list_deinit(&products);
  return failed ? tune_status_out_of_memory(WRITING) : TUNE_OK;
}

//===- The function -------------------------------------------------------------===//

#define ERRORS "errors are measured of functions "

static tune_status check_argument(MlirOperation function, intptr_t index, MlirType type) {
  if (!mlirTypeIsAShaped(type) || tune_tensor_is_plain(type))
    return TUNE_OK;
  return mlirTypeIsARankedTensor(type) && !mlirShapedTypeHasStaticShape(type)
             ? tune_status_make_at(TUNE_FAILED_PRECONDITION, function,
                                   ERRORS "whose sizes are all known, and those of argument %td "
                                          "are not",
                                   index)
             : tune_status_make_at(TUNE_FAILED_PRECONDITION, function,
                                   ERRORS "of tensors and numbers, and argument %td is another",
                                   index);
}

static bool is_of_floats(MlirType type) {
  return mlirTypeIsAFloat(mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type);
}

tune_status tune_error_module_check(MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(block) || !tune_ir_is_only_block(block))
    return tune_status_make_at(TUNE_FAILED_PRECONDITION, function, ERRORS "of one block");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    TUNE_RETURN_IF_ERROR(
        check_argument(function, i, mlirValueGetType(mlirBlockGetArgument(block, i))));
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t outputs = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(end, i));
    if (!is_of_floats(type))
      continue;
    if (mlirTypeIsAShaped(type) && !tune_tensor_is_plain(type))
      return tune_status_make_at(TUNE_FAILED_PRECONDITION, function,
                                 ERRORS "whose results of floats are tensors of known sizes, and "
                                        "result %td is none",
                                 i);
    ++outputs;
  }
  return outputs ? TUNE_OK
                 : tune_status_make_at(TUNE_FAILED_PRECONDITION, function,
                                       ERRORS "that have a result of floats");
}

static tune_status list_outputs(writer *w, MlirOperation end) {
  intptr_t count = mlirOperationGetNumOperands(end);
  w->outputs = calloc((size_t)count + 1, sizeof *w->outputs);
  if (!w->outputs)
    return tune_status_out_of_memory(WRITING);
  for (intptr_t i = 0; i < count; ++i)
    if (is_of_floats(mlirValueGetType(mlirOperationGetOperand(end, i)))) {
      // One that others call keeps its scalars.
      if (!mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetOperand(end, i))))
        return tune_status_make_at(TUNE_FAILED_PRECONDITION, w->function,
                                   ERRORS "whose result %td is a tensor, and it is a scalar", i);
      w->outputs[w->output_count++] = i;
    }
  return TUNE_OK;
}

static MlirType table_type(const writer *w, size_t columns, MlirType element) {
  const int64_t sizes[] = {(int64_t)w->sets, (int64_t)columns};
  return mlirRankedTensorTypeGet(2, sizes, element, (MlirAttribute){NULL});
}

static void load_switches(writer *w) {
  for (size_t i = 0; i <= w->switches; ++i)
    w->switch_of[i] = build_element(w, "tensor.extract_slice", 1, &w->table,
                                    scalar_of(mlirF32TypeGet(w->context)), (int64_t)i);
}

// Ends the loop's body: what is kept, and the sums of all outputs.
static void build_sums(const writer *w, MlirOperation end, MlirBlock body, MlirValue *carried) {
  MlirValue table = mlirBlockGetArgument(body, 1);
  for (size_t i = 0; i < w->output_count; ++i) {
    MlirValue now = mlirOperationGetOperand(end, w->outputs[i]);
    MlirValue kept = build_kept(w, now, mlirBlockGetArgument(body, (intptr_t)i + 2));
    MlirValue sums[] = {build_squares(w, now, kept), build_squares(w, kept, (MlirValue){NULL})};
    for (size_t k = 0; k < 2; ++k)
      table = build_element(w, "tensor.insert_slice", 2, (MlirValue[]){sums[k], table},
                            mlirValueGetType(table), (int64_t)(2 * i + k));
    carried[i + 1] = kept;
  }
  carried[0] = table;
  tune_ir_build(&w->at, &(tune_ir_parts){.name = "scf.yield",
                                         .operand_count = (intptr_t)w->output_count + 1,
                                         .operands = carried});
}

// The switches have no attributes.
static tune_status set_argument_attributes(const writer *w, intptr_t count) {
  MlirAttribute of_arguments = tune_ir_attribute(w->function, "arg_attrs");
  if (mlirAttributeIsNull(of_arguments))
    return TUNE_OK;
  MlirAttribute *all = calloc((size_t)count, sizeof *all);
  if (!all)
    return tune_status_out_of_memory(WRITING);
  for (intptr_t i = 0; i < count; ++i)
    all[i] = i < count - 1 ? mlirArrayAttrGetElement(of_arguments, i)
                           : mlirDictionaryAttrGet(w->context, 0, NULL);
  mlirOperationSetAttributeByName(w->function, tune_ir_string("arg_attrs"),
                                  mlirArrayAttrGet(w->context, count, all));
  free(all);
  return TUNE_OK;
}

static tune_status set_type(const writer *w, MlirType result) {
  intptr_t count = mlirBlockGetNumArguments(w->block);
  MlirType *inputs = calloc((size_t)count + 1, sizeof *inputs);
  if (!inputs)
    return tune_status_out_of_memory(WRITING);
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirValueGetType(mlirBlockGetArgument(w->block, i));
  mlirOperationSetAttributeByName(
      w->function, tune_ir_string("function_type"),
      mlirTypeAttrGet(mlirFunctionTypeGet(w->context, count, inputs, 1, &result)));
  free(inputs);
  mlirOperationRemoveAttributeByName(w->function, tune_ir_string("res_attrs"));
  return set_argument_attributes(w, count);
}

static tune_status write_loop(writer *w, MlirOperation end, MlirValue *carried) {
  tune_ir_builder before = tune_ir_builder_before(mlirBlockGetFirstOperation(w->block));
  MlirType result = table_type(w, 2 * w->output_count, mlirF64TypeGet(w->context));
  carried[0] = tune_ir_build_value(&before, "tensor.empty", result, 0, NULL);
  for (size_t i = 0; i < w->output_count; ++i)
    carried[i + 1] =
        tune_ir_build_value(&before, "tensor.empty",
                            mlirValueGetType(mlirOperationGetOperand(end, w->outputs[i])), 0, NULL);
  MlirOperation loop, next;
  w->at =
      tune_ir_build_for(&before, (int64_t)w->sets, (intptr_t)w->output_count + 1, carried, &loop);
  MlirBlock body = tune_ir_body(loop);
  w->index = mlirBlockGetArgument(body, 0);
  load_switches(w);
  for (MlirOperation op = mlirOperationGetNextInBlock(loop); !mlirOperationEqual(op, end);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    tune_ir_move(&w->at, op);
  }
  build_sums(w, end, body, carried);
  MlirValue table = mlirOperationGetResult(loop, 0);
  tune_ir_builder last = tune_ir_builder_before(end);
  tune_ir_build(&last,
                &(tune_ir_parts){.name = "func.return", .operand_count = 1, .operands = &table});
  mlirOperationDestroy(end);
  return set_type(w, result);
}

static tune_status write(writer *w) {
  MlirOperation end = mlirBlockGetTerminator(w->block);
  TUNE_RETURN_IF_ERROR(list_outputs(w, end));
  w->switch_of = calloc(w->switches + 1, sizeof *w->switch_of);
  MlirValue *carried = calloc(w->output_count + 1, sizeof *carried);
  tune_status status = w->switch_of && carried ? TUNE_OK : tune_status_out_of_memory(WRITING);
  if (tune_status_is_ok(status)) {
    w->table =
        mlirBlockAddArgument(w->block, table_type(w, w->switches + 1, mlirF32TypeGet(w->context)),
                             mlirOperationGetLocation(w->function));
    status = write_loop(w, end, carried);
  }
  if (tune_status_is_ok(status))
    status = round_products(w);
  free(carried);
  return status;
}

// How many images are computed at once is for the function as it was.
static void name_function(const writer *w) {
  static const char *const others[] = {"sym_visibility", TUNE_IMAGES_AT_ONCE_ATTRIBUTE,
                                       TUNE_IMAGES_LAYERS_ATTRIBUTE, NULL};
  for (const char *const *name = others; *name; ++name)
    mlirOperationRemoveAttributeByName(w->function, tune_ir_string(*name));
  mlirOperationSetAttributeByName(
      w->function, tune_ir_string("sym_name"),
      mlirStringAttrGet(w->context, tune_ir_string(TUNE_ERROR_FUNCTION)));
}

// What functions allow is about their own products, and stays so.
static tune_status inline_calls(MlirOperation module, MlirOperation function) {
  MlirPassManager passes;
  tune_allow_place(module);
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(module, function));
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  tune_status status =
      tune_pipeline_create(mlirOperationGetContext(module), "inline,symbol-dce", &passes);
  if (tune_status_is_ok(status))
    status = tune_pipeline_run(passes, module, WRITING);
  tune_pipeline_destroy(passes);
  TUNE_RETURN_IF_ERROR(status);
  return tune_ir_has_calls(function) ? tune_status_make_at(TUNE_FAILED_PRECONDITION, function,
                                                           ERRORS "whose calls can be inlined")
                                     : TUNE_OK;
}

tune_status tune_error_module_make(MlirOperation module, MlirOperation function, size_t sets,
                                   size_t switches, size_t *out_outputs) {
  static const char *const DIALECTS[] = {"arith", "func", "linalg", "math", "scf", "tensor", NULL};
  writer w = {.context = mlirOperationGetContext(module),
              .function = function,
              .sets = sets,
              .switches = switches};
  tune_ir_load_dialects(w.context, DIALECTS);
  TUNE_RETURN_IF_ERROR(tune_error_module_check(function));
  TUNE_RETURN_IF_ERROR(inline_calls(module, function));
  w.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  tune_status status = write(&w);
  name_function(&w);
  free(w.switch_of);
  free(w.outputs);
  *out_outputs = w.output_count;
  return status;
}
