//===- preparation.c ----------------------------------------------------------===//

#include "transforms/structure/preparation.h"

#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_map.h"
#include "transforms/ir/transform_script.h"
#include "transforms/structure/rounded_factors.h"

#include <inttypes.h>
#include <stdlib.h>

// Fills stay by name: schedules find them by it, and elementwise fusion must not fold one into a
// contraction as an input.
static const char GENERALIZE[] =
    "    %packs = transform.structured.match ops{[\"linalg.pack\"]} in %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    transform.foreach %packs : !transform.any_op {\n"
    "    ^bb0(%one: !transform.any_op):\n"
    "      %pack = transform.cast %one : !transform.any_op to !transform.op<\"linalg.pack\">\n"
    "      %p:3 = transform.structured.lower_pack %pack : (!transform.op<\"linalg.pack\">)\n"
    "        -> (!transform.op<\"tensor.pad\">, !transform.op<\"tensor.expand_shape\">,\n"
    "            !transform.op<\"linalg.transpose\">)\n"
    "    }\n"
    "    %unpacks = transform.structured.match ops{[\"linalg.unpack\"]} in %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    transform.foreach %unpacks : !transform.any_op {\n"
    "    ^bb0(%one: !transform.any_op):\n"
    "      %unpack = transform.cast %one : !transform.any_op to !transform.op<\"linalg.unpack\">\n"
    "      %u:4 = transform.structured.lower_unpack %unpack : (!transform.op<\"linalg.unpack\">)\n"
    "        -> (!transform.op<\"tensor.empty\">, !transform.op<\"linalg.transpose\">,\n"
    "            !transform.op<\"tensor.collapse_shape\">, "
    "!transform.op<\"tensor.extract_slice\">)\n"
    "    }\n"
    "    %softmax = transform.structured.match ops{[\"linalg.softmax\"]} in %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %parts = transform.structured.decompose_interface %softmax\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %named = transform.structured.match ops{[\n"
    "      \"linalg.transpose\", \"linalg.broadcast\", \"linalg.map\", \"linalg.reduce\",\n"
    "      \"linalg.elementwise\", \"linalg.copy\", \"linalg.contract\", \"linalg.matmul\",\n"
    "      \"linalg.batch_matmul\", \"linalg.batch_reduce_matmul\", \"linalg.matvec\",\n"
    "      \"linalg.vecmat\", \"linalg.batch_matvec\", \"linalg.batch_vecmat\", \"linalg.dot\",\n"
    "      \"linalg.mmt4d\", \"linalg.batch_mmt4d\", \"linalg.quantized_matmul\",\n"
    "      \"linalg.quantized_batch_matmul\",\n"
    "      \"linalg.add\", \"linalg.sub\", \"linalg.mul\", \"linalg.div\", "
    "\"linalg.div_unsigned\",\n"
    "      \"linalg.max\", \"linalg.min\", \"linalg.exp\", \"linalg.log\", \"linalg.abs\",\n"
    "      \"linalg.ceil\", \"linalg.floor\", \"linalg.negf\", \"linalg.reciprocal\",\n"
    "      \"linalg.round\", \"linalg.sqrt\", \"linalg.rsqrt\", \"linalg.square\", "
    "\"linalg.tanh\",\n"
    "      \"linalg.erf\", \"linalg.powf\", \"linalg.select\",\n"
    "      \"linalg.conv_1d\", \"linalg.conv_2d\", \"linalg.conv_3d\",\n"
    "      \"linalg.conv_1d_nwc_wcf\", \"linalg.conv_1d_ncw_fcw\", \"linalg.conv_2d_nhwc_hwcf\",\n"
    "      \"linalg.conv_2d_nhwc_fhwc\", \"linalg.conv_2d_nchw_fchw\",\n"
    "      \"linalg.conv_2d_ngchw_fgchw\", \"linalg.conv_2d_ngchw_gfchw\",\n"
    "      \"linalg.conv_3d_ndhwc_dhwcf\", \"linalg.conv_3d_ncdhw_fcdhw\",\n"
    "      \"linalg.depthwise_conv_1d_nwc_wc\", \"linalg.depthwise_conv_1d_ncw_cw\",\n"
    "      \"linalg.depthwise_conv_2d_nhwc_hwc\", \"linalg.depthwise_conv_2d_nchw_chw\",\n"
    "      \"linalg.depthwise_conv_2d_nhwc_hwcm\", \"linalg.pooling_nhwc_sum\",\n"
    "      \"linalg.pooling_nhwc_max\", \"linalg.pooling_nhwc_min\", \"linalg.pooling_nchw_sum\",\n"
    "      \"linalg.pooling_nchw_max\", \"linalg.pooling_nwc_sum\", \"linalg.pooling_nwc_max\",\n"
    "      \"linalg.pooling_ncw_sum\", \"linalg.pooling_ncw_max\"\n"
    "    ]} in %func : (!transform.any_op) -> !transform.any_op\n"
    "    %generic = transform.structured.generalize %named\n"
    "      : (!transform.any_op) -> !transform.any_op\n";

// The handle of the function is %fused after it, with `rounds` %joined.
static void append_joined(bool rounds, tune_string_builder *text) {
  const char *name = rounds ? "joined" : "fused";
  tune_string_builder_appendf(
      text,
      "    %%%s = transform.apply_registered_pass \"linalg-fuse-elementwise-ops\" to %%func\n"
      "      : (!transform.any_op) -> !transform.any_op\n"
      "    transform.apply_patterns to %%%s {\n"
      "      transform.apply_patterns.canonicalization\n"
      "    } {apply_cse} : !transform.any_op\n",
      name, name);
}

// Makes %fused of the function `of`.
static void append_rounding(const char *of, tune_string_builder *text) {
  tune_string_builder_appendf(
      text,
      "    %%fused = transform.apply_registered_pass \"" TUNE_ROUNDED_FACTORS_PASS "\" to %%%s\n"
      "      : (!transform.any_op) -> !transform.any_op\n"
      "    transform.apply_patterns to %%fused {\n"
      "    } {apply_cse} : !transform.any_op\n",
      of);
}

// Ops are found by how they are indexed: those of another order in the module that the schedule is
// applied to are still the same.
static void append_orders(const tune_preparation *preparation, tune_string_builder *text) {
  for (size_t i = 0; i < preparation->order_count; i++) {
    tune_string_builder_appendf(text,
                                "    %%nest%zu = transform.structured.match "
                                "ops{[\"linalg.generic\"]}\n      attributes{indexing_maps = ",
                                i);
    mlirAttributePrint(preparation->orders[i].maps, tune_printing_append, text);
    tune_string_builder_append(text, ",\n        iterator_types = ");
    mlirAttributePrint(preparation->orders[i].iterators, tune_printing_append, text);
    tune_string_builder_append(text,
                               "} in %func\n      : (!transform.any_op) -> !transform.any_op\n");
  }
  for (size_t i = 0; i < preparation->order_count; i++) {
    const tune_loop_order *order = &preparation->orders[i];
    tune_string_builder_appendf(text,
                                "    %%ordered%zu = transform.structured.interchange %%nest%zu "
                                "iterator_interchange = [",
                                i, i);
    for (size_t loop = 0; loop < order->loop_count; loop++)
      tune_string_builder_appendf(text, "%s%d", loop ? ", " : "", order->loops[loop]);
    tune_string_builder_append(text, "]\n      : (!transform.any_op) -> !transform.any_op\n");
  }
}

// A loop of one iteration around the product: what makes its weights is then read through a slice,
// and stays an op of its own. The canonicalization at the end takes the loop away.
static void append_barrier(const tune_preparation *preparation, tune_string_builder *text) {
  tune_string_builder_append(
      text, "    %generics = transform.structured.match ops{[\"linalg.generic\"]} in %func\n"
            "      : (!transform.any_op) -> !transform.any_op\n    ");
  for (size_t i = 0; i < preparation->generic_count; i++)
    tune_string_builder_appendf(text, "%s%%generic%zu", i ? ", " : "", i);
  tune_string_builder_append(text, " = transform.split_handle %generics\n"
                                   "      : (!transform.any_op) -> (");
  for (size_t i = 0; i < preparation->generic_count; i++)
    tune_string_builder_appendf(text, "%s!transform.any_op", i ? ", " : "");
  tune_string_builder_appendf(text,
                              ")\n    %%apart, %%apart_loop = transform.structured.tile_using_for "
                              "%%generic%zu tile_sizes [",
                              preparation->product);
  for (size_t i = 0; i < preparation->loop; i++)
    tune_string_builder_append(text, "0, ");
  tune_string_builder_appendf(text,
                              "%" PRId64 "]\n      : (!transform.any_op) -> (!transform.any_op, "
                              "!transform.any_op)\n",
                              preparation->extent);
}

// `effect` says what the sequence does to the handle it is given.
static void append_begin(const char *effect, const char *form, tune_string_builder *text) {
  tune_string_builder_appendf(text,
                              "  transform.named_sequence @" TUNE_PREPARATION_NAME "%s%s(%%func: "
                              "!transform.any_op {transform.%s})\n      -> !transform.any_op {\n",
                              *form ? "_" : "", form, effect);
}

static void append_fusion(const tune_preparation *preparation, tune_string_builder *text) {
  if (preparation->generic_count)
    append_barrier(preparation, text);
  append_joined(preparation->rounds, text);
  if (preparation->rounds)
    append_rounding("joined", text);
  const char *prepared = tune_layout_write(&preparation->layout, text);
  tune_string_builder_appendf(text, "    transform.yield %s : !transform.any_op\n  }\n", prepared);
}

void tune_preparation_write(const tune_preparation *preparation, const char *form,
                            tune_string_builder *text) {
  append_begin("consumed", form, text);
  tune_string_builder_append(text, GENERALIZE);
  append_orders(preparation, text);
  append_fusion(preparation, text);
}

//===--- Loops of products ----------------------------------------------------------===//

// Rules, and what upstream makes of vectors, are best where the loops are in the order of the
// output's dimensions and sums come last; a front end may write them in any. False where they are,
// or the output is not indexed by its loops.
static bool find_order(const tune_op_facts *facts, MlirOperation op, tune_loop_order *out_order) {
  size_t count = 0, output = facts->input_count;
  bool differs = false;
  *out_order = (tune_loop_order){.maps = facts->maps,
                                 .iterators = tune_ir_attribute(op, "iterator_types"),
                                 .loop_count = facts->loop_count};
  if (!tune_op_facts_is_permutation(facts, output))
    return false;
  for (size_t i = 0; i < tune_op_facts_rank(facts, output); i++)
    out_order->loops[count++] = tune_op_facts_loop(facts, output, i);
  for (size_t loop = 0; loop < facts->loop_count; loop++)
    if (facts->is_reduction[loop])
      out_order->loops[count++] = (uint8_t)loop;
  for (size_t i = 0; i < count; i++)
    differs |= out_order->loops[i] != i;
  return differs && count == facts->loop_count;
}

typedef struct order_search {
  tune_op_words words;
  tune_preparation *preparation;
} order_search;

static bool is_known(const tune_preparation *preparation, const tune_loop_order *order) {
  for (size_t i = 0; i < preparation->order_count; i++)
    if (mlirAttributeEqual(preparation->orders[i].maps, order->maps) &&
        mlirAttributeEqual(preparation->orders[i].iterators, order->iterators))
      return true;
  return false;
}

static MlirWalkResult look_at_order(MlirOperation op, void *user_data) {
  order_search *state = user_data;
  tune_preparation *preparation = state->preparation;
  if (!tune_ir_is(op, "linalg.generic") || preparation->order_count == TUNE_PREPARATION_MAX_ORDERS)
    return MlirWalkResultAdvance;
  tune_op_facts facts;
  tune_op_facts_get(op, &state->words, &facts);
  tune_loop_order *order = &preparation->orders[preparation->order_count];
  if ((facts.op_class == TUNE_OP_CONTRACTION || facts.op_class == TUNE_OP_CONVOLUTION) &&
      find_order(&facts, op, order) && !is_known(preparation, order))
    preparation->order_count++;
  return MlirWalkResultAdvance;
}

static void find_orders(MlirModule payload, tune_preparation *out_preparation) {
  order_search state = {.words = tune_op_words_get(mlirModuleGetContext(payload)),
                        .preparation = out_preparation};
  mlirOperationWalk(mlirModuleGetOperation(payload), look_at_order, &state, MlirWalkPreOrder);
}

//===--- Products of what another product made -------------------------------------===//

typedef struct product_search {
  tune_op_words words;
  tune_op_map depends; // ops that read, at some remove, what a contraction made
  size_t generic_count;
  tune_preparation found;
  tune_status status;
} product_search;

// The operand of `op` that a contraction before it had a part in, or SIZE_MAX.
static size_t find_dependent(const product_search *state, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(value) &&
        tune_op_map_get(&state->depends, mlirOpResultGetOwner(value).ptr) != TUNE_OP_MAP_NONE)
      return (size_t)i;
  }
  return SIZE_MAX;
}

// Upstream crashes where it tiles what has no elements.
static bool is_empty(const tune_op_facts *facts) {
  for (size_t i = 0; i < facts->loop_count; i++)
    if (facts->sizes[i] == 0)
      return true;
  return false;
}

static bool has_loop(const tune_op_facts *facts, size_t operand, uint8_t loop) {
  for (size_t d = 0; d < tune_op_facts_rank(facts, operand); d++)
    if (tune_op_facts_loop(facts, operand, d) == loop)
      return true;
  return false;
}

// A loop of `operand` with more than one step: one of that alone, where there is, so that what
// moves the other operand is folded into the product; TUNE_OP_NO_LOOP where all have one step.
static uint8_t find_barrier(const tune_op_facts *facts, size_t operand) {
  uint8_t found = TUNE_OP_NO_LOOP;
  for (size_t d = 0; d < tune_op_facts_rank(facts, operand); d++) {
    uint8_t loop = tune_op_facts_loop(facts, operand, d);
    if (loop == TUNE_OP_NO_LOOP || facts->sizes[loop] <= 1)
      continue;
    bool is_of_it_alone = true;
    for (size_t o = 0; o < facts->input_count; o++)
      is_of_it_alone &= o == operand || !has_loop(facts, o, loop);
    if (is_of_it_alone)
      return loop;
    if (found == TUNE_OP_NO_LOOP)
      found = loop;
  }
  return found;
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  product_search *state = user_data;
  if (!tune_ir_is(op, "linalg.generic"))
    return MlirWalkResultAdvance;
  size_t number = state->generic_count++;
  tune_op_facts facts;
  tune_op_facts_get(op, &state->words, &facts);
  bool is_product = facts.op_class == TUNE_OP_CONTRACTION;
  size_t operand = find_dependent(state, op);
  if (is_product && !is_empty(&facts) && operand < facts.input_count) {
    uint8_t loop = find_barrier(&facts, operand);
    if (loop != TUNE_OP_NO_LOOP)
      state->found =
          (tune_preparation){.product = number, .loop = loop, .extent = facts.sizes[loop]};
  }
  if (is_product || operand != SIZE_MAX)
    state->status = tune_op_map_set(&state->depends, op.ptr, number);
  return tune_status_is_ok(state->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status find_product(MlirModule payload, tune_preparation *out_preparation) {
  product_search state = {.words = tune_op_words_get(mlirModuleGetContext(payload))};
  tune_op_map_init(&state.depends);
  mlirOperationWalk(mlirModuleGetOperation(payload), look_at, &state, MlirWalkPreOrder);
  tune_op_map_deinit(&state.depends);
  if (state.found.extent)
    out_preparation->generic_count = state.generic_count;
  out_preparation->product = state.found.product;
  out_preparation->loop = state.found.loop;
  out_preparation->extent = state.found.extent;
  return state.status;
}

//===--- Running ----------------------------------------------------------------===//

// Runs the lines of `steps`, which end @tune_prepare.
static tune_status run_steps(MlirModule payload, const char *effect, tune_string_builder *steps) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_append(
      &text, "module attributes {transform.with_named_sequence} {\n"
             "  transform.named_sequence @__transform_main(%root: !transform.any_op) {\n"
             "    %func = transform.structured.match ops{[\"func.func\"]} in %root\n"
             "      : (!transform.any_op) -> !transform.any_op\n"
             "    %prepared = transform.include @tune_prepare failures(propagate) (%func)\n"
             "      : (!transform.any_op) -> !transform.any_op\n"
             "    transform.yield\n"
             "  }\n");
  append_begin(effect, "", &text);
  tune_rounded_factors_register();
  char *lines = NULL, *source = NULL;
  tune_status status = tune_string_builder_finish(steps, &lines);
  if (tune_status_is_ok(status))
    tune_string_builder_append(&text, lines);
  free(lines);
  tune_string_builder_append(&text, "}\n");
  if (tune_status_is_ok(status))
    status = tune_string_builder_finish(&text, &source);
  else
    tune_string_builder_deinit(&text);
  if (!tune_status_is_ok(status))
    return status;
  status = tune_transform_script_run(mlirModuleGetOperation(payload), source, "preparing a task");
  free(source);
  return status;
}

// Products whose body rounds: which these are shows once elementwise ops are joined to them.
static tune_status round_in_bodies(MlirModule payload, tune_preparation *preparation) {
  if (!tune_rounded_factors_are_in(mlirModuleGetOperation(payload)))
    return TUNE_OK;
  preparation->rounds = true;
  tune_string_builder steps;
  tune_string_builder_init(&steps);
  append_rounding("func", &steps);
  tune_string_builder_append(&steps, "    transform.yield %fused : !transform.any_op\n  }\n");
  return run_steps(payload, "consumed", &steps);
}

tune_status tune_preparation_run(MlirModule payload, const tune_preparation_wanted *wanted,
                                 tune_preparation *out_preparation) {
  *out_preparation = (tune_preparation){0};
  tune_string_builder steps;
  tune_string_builder_init(&steps);
  tune_string_builder_append(&steps, GENERALIZE);
  tune_string_builder_append(&steps, "    transform.yield %func : !transform.any_op\n  }\n");
  TUNE_RETURN_IF_ERROR(run_steps(payload, "readonly", &steps));
  find_orders(payload, out_preparation);
  if (out_preparation->order_count) {
    tune_string_builder_init(&steps);
    append_orders(out_preparation, &steps);
    tune_string_builder_append(&steps, "    transform.yield %func : !transform.any_op\n  }\n");
    TUNE_RETURN_IF_ERROR(run_steps(payload, "readonly", &steps));
  }
  TUNE_RETURN_IF_ERROR(find_product(payload, out_preparation));
  if (wanted->layout)
    out_preparation->layout = *wanted->layout;
  out_preparation->rounds = wanted->rounds;
  tune_string_builder_init(&steps);
  append_fusion(out_preparation, &steps);
  TUNE_RETURN_IF_ERROR(run_steps(payload, "consumed", &steps));
  return wanted->layout || wanted->rounds || wanted->is_stock
             ? TUNE_OK
             : round_in_bodies(payload, out_preparation);
}
