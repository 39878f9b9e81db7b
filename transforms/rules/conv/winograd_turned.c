//===- winograd_turned.c - A channels-first convolution as Winograd's ------------===//

#include "transforms/rules/conv/winograd_turned.h"

bool tune_winograd_is_window(const tune_nest *nest, const tune_operand *image, size_t dimension,
                             size_t pixel, size_t window) {
  const tune_index *index = &image->index[dimension];
  if (!index->is_linear || index->constant != 0)
    return false;
  for (size_t loop = 0; loop < nest->loop_count; loop++)
    if (index->coefficient[loop] != (loop == pixel || loop == window))
      return false;
  return nest->extent[window] == TUNE_WINOGRAD_FILTER;
}

bool tune_winograd_read_turned(const tune_conv_plan *conv, tune_winograd *out_winograd) {
  const tune_nest *anchor = conv->ops.anchor;
  const tune_operand *image = &anchor->operands[1 - conv->filter], *output = &anchor->operands[2];
  if (conv->line == TUNE_NO_LOOP || conv->window_count != 2 ||
      !tune_conv_is_of_planes(anchor, image))
    return false;
  size_t first = image->rank - 3; // after the batch
  size_t batch = first ? tune_conv_loop_of_dimension(anchor, output, 0) : TUNE_NO_LOOP;
  bool is_turned = !tune_winograd_is_window(anchor, image, first + 1, conv->line, conv->window[0]);
  if (conv->channel_dimension != first || conv->line_dimension != first + 1 ||
      !tune_operand_is_loop(image, first, conv->depth) ||
      (first && (batch == TUNE_NO_LOOP || !tune_operand_is_loop(image, 0, batch))) ||
      !tune_winograd_is_window(anchor, image, first + 1, conv->line, conv->window[is_turned]) ||
      !tune_winograd_is_window(anchor, image, first + 2, conv->row, conv->window[!is_turned]))
    return false;
  *out_winograd = (tune_winograd){.tile = TUNE_WINOGRAD_LARGE_TILE,
                                  .has_batch = first == 1,
                                  .batch = first ? anchor->extent[batch] : 1,
                                  .height = anchor->extent[conv->line],
                                  .width = anchor->extent[conv->row],
                                  .depth = anchor->extent[conv->depth],
                                  .channels = anchor->extent[conv->channel],
                                  .lanes = conv->lanes,
                                  .depth_lanes = conv->lanes,
                                  .most_lanes = conv->lanes,
                                  .direct_rate = 1,
                                  .channels_first = true};
  // An image of which not all is read has another type than the transform of its tiles.
  return image->shape[first + 1] == out_winograd->height + TUNE_WINOGRAD_FILTER - 1 &&
         image->shape[first + 2] == out_winograd->width + TUNE_WINOGRAD_FILTER - 1;
}

bool tune_winograd_pays_turned(const tune_conv_plan *plan) {
  tune_winograd winograd;
  return tune_winograd_read_turned(plan, &winograd) && tune_winograd_pays(&winograd);
}
