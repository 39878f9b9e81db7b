//===- winograd_bands.c -------------------------------------------------------------===//

#include "transforms/rules/conv/winograd_bands.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
// Tiles that a transform of the filter is worth: a twelfth of their products. Bands of the same
// height may have fewer.
#define FEWEST_TILES 60
// Rows of the largest register tile: a band, and what is left of lines, has as many.
#define FEWEST_ROWS 16

static tune_winograd lines_of(const tune_winograd *winograd, int64_t lines) {
  tune_winograd part = *winograd;
  part.batch = 1;
  part.height = lines;
  return part;
}

// Bytes that the image and the products of a block of channels are transformed to.
static double bytes_of(const tune_winograd_plan *plan, const tune_winograd *part) {
  double products = TUNE_WINOGRAD_MOST_PRODUCTS * TUNE_WINOGRAD_MOST_PRODUCTS;
  return products * (double)tune_winograd_tiles(part) *
         (double)(plan->kc_default + plan->block_default) * sizeof(float);
}

void tune_winograd_choose_bands(const tune_machine *machine, tune_winograd_plan *plan) {
  const tune_winograd *winograd = &plan->winograd;
  const int64_t tile = TUNE_WINOGRAD_LARGE_TILE, down = (winograd->height + tile - 1) / tile;
  double cache = (double)machine->l2_bytes;
  plan->bands = (tune_winograd_bands){0};
  if (winograd->channels_first || plan->group != TUNE_NO_LOOP ||
      bytes_of(plan, winograd) <= 0.6 * cache)
    return;
  tune_winograd one = lines_of(winograd, tile);
  int64_t across = tune_winograd_tiles(&one), rows = (int64_t)(0.6 * cache / bytes_of(plan, &one));
  if (rows * across < FEWEST_TILES)
    rows = (FEWEST_TILES + across - 1) / across;
  if (rows >= down && winograd->batch == 1)
    return;
  // Of about the same height; or one image after the other.
  int64_t count = rows >= down ? 1 : (down + rows - 1) / rows;
  rows = (down + count - 1) / count;
  int64_t lines = count == 1 ? winograd->height : rows * tile, rest = winograd->height % lines;
  tune_winograd band = lines_of(winograd, lines), last = lines_of(winograd, rest);
  if ((winograd->height <= lines && winograd->batch == 1) ||
      (rest && tune_winograd_tiles(&last) < FEWEST_ROWS))
    return;
  plan->bands = (tune_winograd_bands){
      .lines = lines, .rest = rest, .is_default = bytes_of(plan, &band) <= cache};
}

void tune_winograd_write_bands(const tune_winograd_plan *plan, const char *anchor, tune_writer *w) {
  const tune_winograd_bands *bands = &plan->bands;
  const char *target = anchor;
  size_t order[TUNE_MAX_LOOPS];
  char sizes[128], labels[64], lines[24];
  tune_tiling tiling = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  snprintf(lines, sizeof lines, "%" PRId64, bands->lines);
  snprintf(labels, sizeof labels, "\"whole\", \"bands_of_%" PRId64 "\"", bands->lines);
  tiling.size[plan->line] = lines;
  if (plan->batch != TUNE_NO_LOOP)
    tiling.size[plan->batch] = "1";
  tune_writer_begin_alternatives(w, "%of_lines", "winograd_lines", TUNE_LEVEL_LINALG, labels,
                                 bands->is_default, 1);
  tune_writer_next_alternative(w, anchor, 1);
  if (bands->rest) {
    tune_writer_line(
        w, "%%both = transform.structured.split %s after %" PRId64 " {dimension = %zu} : " OP,
        anchor, plan->winograd.height - bands->rest, plan->line);
    tune_writer_line(w, "%%most, %%last = transform.split_handle %%both : (" OP ") -> (" OP ", " OP
                        ")");
    target = "%most";
  }
  bool is_divided =
      plan->threads > 1 && plan->winograd.height / bands->lines >= (int64_t)plan->threads;
  tune_writer_line(
      w, "%%band, %%bands%s = transform.structured.%s %s tile_sizes %s",
      is_divided || plan->batch == TUNE_NO_LOOP ? "" : ":2",
      is_divided ? "tile_using_forall" : "tile_using_for", target,
      tune_writer_sizes(sizes, sizeof sizes, &tiling, order, plan->convolution.loop_count));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP "%s)",
                   is_divided || plan->batch == TUNE_NO_LOOP ? "" : ", " OP);
  if (!bands->rest) {
    tune_writer_end_alternatives(w, "%band", 1);
    return;
  }
  const char *last = "%last";
  if (plan->batch != TUNE_NO_LOOP && plan->winograd.batch > 1) {
    tiling.size[plan->line] = NULL;
    tune_writer_line(
        w,
        "%%last_lines, %%images = transform.structured.tile_using_for %%last "
        "tile_sizes %s",
        tune_writer_sizes(sizes, sizeof sizes, &tiling, order, plan->convolution.loop_count));
    tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
    last = "%last_lines";
  }
  tune_writer_line(w, "%%all_lines = transform.merge_handles %%band, %s : " OP, last);
  tune_writer_end_alternatives(w, "%all_lines", 1);
}

size_t tune_winograd_parts(const tune_winograd_plan *plan, int64_t tile,
                           tune_winograd parts[TUNE_WINOGRAD_MOST_HEIGHTS]) {
  const tune_winograd_bands *bands = &plan->bands;
  size_t count = 0;
  parts[count++] = plan->winograd;
  if (bands->lines)
    parts[count++] = lines_of(&plan->winograd, bands->lines);
  if (bands->rest)
    parts[count++] = lines_of(&plan->winograd, bands->rest);
  for (size_t i = 0; i < count; i++)
    parts[i].tile = tile;
  return count;
}
