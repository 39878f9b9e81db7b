//===- conv_ops.c -------------------------------------------------------------===//

#include "transforms/rules/conv_ops.h"

#include <string.h>

static bool is_parallel(const tune_nest *nest) {
  return nest->kind == TUNE_NEST_GENERIC && nest->reduction_count == 0;
}

// Whether `operand`, of `nest`, is indexed by the loops as they come.
static bool is_identity(const tune_nest *nest, const tune_operand *operand) {
  if (operand->rank != nest->loop_count)
    return false;
  for (size_t i = 0; i < operand->rank; i++)
    if (!tune_operand_is_loop(operand, i, i))
      return false;
  return true;
}

// One output, over whose elements the loops run, and inputs that are projections of it.
static bool is_elementwise(const tune_nest *nest) {
  if (!is_parallel(nest) || nest->has_index || nest->operand_count != nest->input_count + 1 ||
      !is_identity(nest, &nest->operands[nest->input_count]))
    return false;
  for (size_t o = 0; o < nest->input_count; o++)
    if (!tune_operand_is_projection(&nest->operands[o]))
      return false;
  return true;
}

// Elementwise over the result of `anchor`, which is one of its inputs, once.
static bool is_epilogue(const tune_nest *nest, size_t anchor) {
  size_t uses = 0;
  for (size_t o = 0; o < nest->operand_count; o++) {
    if (nest->operands[o].producer != anchor)
      continue;
    uses++;
    if (o >= nest->input_count || !is_identity(nest, &nest->operands[o]))
      return false;
  }
  return uses == 1 && is_elementwise(nest) && nest->use_count == 0;
}

bool tune_conv_ops_find(const tune_structure *structure, tune_conv_ops *ops) {
  *ops = (tune_conv_ops){0};
  size_t anchor = TUNE_NO_LOOP;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->reduction_count == 0)
      continue;
    if (anchor != TUNE_NO_LOOP || nest->kind != TUNE_NEST_GENERIC || !nest->multiplies_and_adds)
      return false;
    anchor = n;
  }
  if (anchor == TUNE_NO_LOOP)
    return false;
  ops->anchor = &structure->nests[anchor];
  size_t init = ops->anchor->operands[2].producer;
  if (init == TUNE_NO_LOOP || structure->nests[init].use_count != 1)
    return false;
  ops->init = &structure->nests[init];
  if (ops->init->kind != TUNE_NEST_FILL && !is_elementwise(ops->init))
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (n == anchor || n == init)
      continue;
    if (nest->kind == TUNE_NEST_PAD) {
      ops->has_pad = true;
      continue;
    }
    if (ops->epilogue || !is_epilogue(nest, anchor))
      return false;
    ops->epilogue = nest;
  }
  // What is returned beside the end of the chain would have to be turned too.
  if (ops->init->is_returned || (ops->epilogue && ops->anchor->is_returned))
    return false;
  return ops->anchor->use_count == (ops->epilogue ? 1 : 0);
}

size_t tune_conv_loop_of_dimension(const tune_nest *nest, const tune_operand *operand,
                                   size_t dimension) {
  for (size_t loop = 0; loop < nest->loop_count; loop++)
    if (tune_operand_is_loop(operand, dimension, loop))
      return loop;
  return TUNE_NO_LOOP;
}

//===--------------------------------------------------------------------------===//
// Channels innermost
//===--------------------------------------------------------------------------===//

// Whether dimension `dimension` of the image is loop `pixel` times a stride, plus a reduction times
// a dilation, which is dimension `side` of the filter.
static bool find_window(const tune_nest *anchor, size_t dimension, size_t pixel, size_t side,
                        tune_conv_nhwc *conv) {
  const tune_index *index = &anchor->operands[0].index[dimension];
  size_t window = tune_conv_loop_of_dimension(anchor, &anchor->operands[1], side);
  if (!index->is_linear || index->constant != 0 || window == TUNE_NO_LOOP ||
      !anchor->is_reduction[window])
    return false;
  for (size_t loop = 0; loop < anchor->loop_count; loop++)
    if (loop != pixel && loop != window && index->coefficient[loop] != 0)
      return false;
  conv->window[side] = anchor->extent[window];
  conv->stride[side] = index->coefficient[pixel];
  conv->dilation[side] = index->coefficient[window];
  return conv->stride[side] > 0 && conv->dilation[side] > 0;
}

bool tune_conv_is_of_planes(const tune_nest *anchor, const tune_operand *image) {
  const tune_operand *output = &anchor->operands[2];
  if ((anchor->loop_count != 6 && anchor->loop_count != 7) ||
      image->rank != anchor->loop_count - 3 || output->rank != image->rank)
    return false;
  for (size_t i = 0; i < 3; i++)
    if (strcmp(anchor->operands[i].type, "f32") != 0)
      return false;
  return true;
}

bool tune_conv_nhwc_find(const tune_nest *anchor, tune_conv_nhwc *conv) {
  const tune_operand *image = &anchor->operands[0], *filter = &anchor->operands[1],
                     *output = &anchor->operands[2];
  *conv = (tune_conv_nhwc){.has_batch = anchor->loop_count == 7};
  if (!tune_conv_is_of_planes(anchor, image) || filter->rank != 4)
    return false;
  size_t first = image->rank - 3; // after the batch
  size_t loops[4];
  for (size_t i = 0; i < output->rank; i++)
    if ((loops[i] = tune_conv_loop_of_dimension(anchor, output, i)) == TUNE_NO_LOOP)
      return false;
  conv->depth_loop = tune_conv_loop_of_dimension(anchor, filter, 2);
  conv->channel_loop = loops[first + 2];
  conv->line_loop = loops[first];
  conv->batch_loop = first ? loops[0] : TUNE_NO_LOOP;
  if (conv->depth_loop == TUNE_NO_LOOP ||
      !tune_operand_is_loop(image, first + 2, conv->depth_loop) ||
      !tune_operand_is_loop(filter, 3, conv->channel_loop) ||
      (first && !tune_operand_is_loop(image, 0, loops[0])) ||
      !find_window(anchor, first, loops[first], 0, conv) ||
      !find_window(anchor, first + 1, loops[first + 1], 1, conv))
    return false;
  conv->batch = first ? anchor->extent[loops[0]] : 1;
  conv->height = anchor->extent[loops[first]];
  conv->width = anchor->extent[loops[first + 1]];
  conv->image_height = image->shape[first];
  conv->image_width = image->shape[first + 1];
  conv->depth = anchor->extent[conv->depth_loop];
  conv->channels = anchor->extent[conv->channel_loop];
  return true;
}
