//===- layouts.c --------------------------------------------------------------===//

#include "transforms/rules/layouts.h"

#include <string.h>

//===--------------------------------------------------------------------------===//
// The ops
//===--------------------------------------------------------------------------===//

typedef struct product {
  const tune_structure *structure;
  const tune_nest *anchor, *init, *after; // what starts its sums, what follows it: NULL for none
  size_t image, filter;                   // operands
  bool turns_after;                       // what follows it does not have the order of the output
  unsigned lanes;
} product;

static bool is_plain_op(const tune_nest *nest) {
  return nest->kind == TUNE_NEST_GENERIC && nest->reduction_count == 0 && !nest->has_index &&
         nest->operand_count == nest->input_count + 1 && nest->loop_count > 0;
}

static bool uses_result(const tune_structure *structure, const tune_nest *nest,
                        const tune_nest *producer) {
  for (size_t o = 0; o < nest->operand_count; o++)
    if (nest->operands[o].producer == (size_t)(producer - structure->nests))
      return true;
  return false;
}

static bool find_ops(product *p) {
  const tune_structure *structure = p->structure;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_NAMED)
      return false;
    if (nest->reduction_count == 0)
      continue;
    if (p->anchor || nest->kind != TUNE_NEST_GENERIC || !nest->multiplies_and_adds)
      return false;
    p->anchor = nest;
  }
  if (!p->anchor || structure->nest_count > TUNE_LAYOUT_MAX_OPS ||
      !tune_operand_is_projection(&p->anchor->operands[2]))
    return false;
  size_t init = p->anchor->operands[2].producer;
  p->init = init == TUNE_NO_LOOP ? NULL : &structure->nests[init];
  if (p->init && p->init->use_count != 1)
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest == p->anchor || !uses_result(structure, nest, p->anchor))
      continue;
    if (p->after || !is_plain_op(nest) || nest->use_count)
      return false;
    p->after = nest;
  }
  return !p->after || p->anchor->use_count == 1;
}

// Whether the op after the product runs over the product's elements in another order.
static bool turns(const product *p) {
  if (!p->after)
    return false;
  for (size_t o = 0; o < p->after->input_count; o++) {
    const tune_operand *operand = &p->after->operands[o];
    if (operand->producer != (size_t)(p->anchor - p->structure->nests))
      continue;
    for (size_t i = 0; i < operand->rank; i++)
      if (!tune_operand_is_loop(operand, i, i))
        return true;
  }
  return false;
}

//===--------------------------------------------------------------------------===//
// The order of dimensions
//===--------------------------------------------------------------------------===//

static bool uses(const product *p, size_t operand, size_t loop) {
  return tune_operand_coefficient(&p->anchor->operands[operand], loop) != 0;
}

// The loop that dimension `dimension` of `operand` is, or its parallel one where it slides; the
// first of several, TUNE_NO_LOOP for a constant.
static size_t loop_of(const product *p, size_t operand, size_t dimension) {
  const tune_index *index = &p->anchor->operands[operand].index[dimension];
  size_t found = TUNE_NO_LOOP;
  for (size_t loop = 0; index->is_linear && loop < p->anchor->loop_count; loop++)
    if (index->coefficient[loop] != 0 &&
        (found == TUNE_NO_LOOP ||
         (p->anchor->is_reduction[found] && !p->anchor->is_reduction[loop])))
      found = loop;
  return found;
}

// Of the image: its dimension that a loop is part of.
static size_t dimension_in_image(const product *p, size_t loop) {
  const tune_operand *image = &p->anchor->operands[p->image];
  for (size_t i = 0; i < image->rank; i++)
    if (image->index[i].is_linear && image->index[i].coefficient[loop] != 0)
      return i;
  return SIZE_MAX;
}

static bool is_window(const product *p, size_t loop) {
  size_t dimension = dimension_in_image(p, loop);
  return dimension != SIZE_MAX && p->anchor->is_reduction[loop] &&
         !tune_operand_is_loop(&p->anchor->operands[p->image], dimension, loop);
}

static bool is_pixel(const product *p, size_t loop) {
  size_t dimension = dimension_in_image(p, loop);
  return dimension != SIZE_MAX && !p->anchor->is_reduction[loop] &&
         !tune_operand_is_loop(&p->anchor->operands[p->image], dimension, loop);
}

// Whether some loop indexes the filter and the output alone: there are output channels.
static bool has_columns(const product *p) {
  for (size_t loop = 0; loop < p->anchor->loop_count; loop++)
    if (!p->anchor->is_reduction[loop] && uses(p, p->filter, loop) && !uses(p, p->image, loop))
      return true;
  return false;
}

// Where the dimension along `loop` belongs: batches of the image, groups, windows and pixels, the
// channels of the image, those of the output.
static int rank_of(const product *p, size_t loop) {
  if (loop == TUNE_NO_LOOP)
    return 0;
  bool in_image = uses(p, p->image, loop), in_filter = uses(p, p->filter, loop);
  if (p->anchor->is_reduction[loop])
    return is_window(p, loop) ? 3 : 4;
  if (in_image && in_filter)
    return has_columns(p) ? 2 : 6; // groups, or channels with a filter each
  if (in_image)
    return is_pixel(p, loop) ? 3 : 1;
  return 5;
}

// Whether dimension `left` of `operand` belongs before `right`. What is alike keeps its order, but
// windows, pixels and what is longest go as they do in the image.
static bool comes_before(const product *p, size_t operand, size_t left, size_t right) {
  size_t a = loop_of(p, operand, left), b = loop_of(p, operand, right);
  int rank_a = rank_of(p, a), rank_b = rank_of(p, b);
  if (rank_a != rank_b)
    return rank_a < rank_b;
  if (rank_a == 3 && operand != p->image)
    return dimension_in_image(p, a) < dimension_in_image(p, b);
  if (rank_a == 4 || rank_a == 5) {
    int64_t extent_a = p->anchor->extent[a], extent_b = p->anchor->extent[b];
    if (extent_a != extent_b)
      return extent_a < extent_b;
  }
  return left < right;
}

// Fills the order of `operand` in; false where it has that already.
static bool find_order(const product *p, size_t operand, tune_layout_operand *out) {
  out->rank = p->anchor->operands[operand].rank;
  for (size_t i = 0; i < out->rank; i++) {
    size_t at = i;
    for (; at > 0 && comes_before(p, operand, i, out->order[at - 1]); at--)
      out->order[at] = out->order[at - 1];
    out->order[at] = i;
  }
  for (size_t i = 0; i < out->rank; i++)
    if (out->order[i] != i)
      return true;
  return false;
}

//===--------------------------------------------------------------------------===//
// Tiles of copies
//===--------------------------------------------------------------------------===//

enum {
  BLOCK = 16,    // elements along both sides of what is turned in registers
  LEAST_RUN = 8, // shorter ones are gathered, not turned
};

// Of an op whose loops are those of its output as they come, of which `cross` is the last dimension
// of what it reads, extents in `extent`.
static tune_layout_tile make_tile(size_t loop_count, const int64_t *extent, size_t cross) {
  tune_layout_tile tile = {.loop_count = loop_count};
  for (size_t i = 0; i < loop_count; i++) {
    tile.extent[i] = extent[i];
    tile.size[i] = 1;
    tile.order[i] = i;
  }
  tile.size[loop_count - 1] = BLOCK;
  if (cross < loop_count && extent[cross] >= LEAST_RUN && extent[loop_count - 1] >= LEAST_RUN)
    tile.size[cross] = BLOCK;
  return tile;
}

// The same without loops of one step.
static tune_layout_tile without_units(const tune_layout_tile *tile) {
  tune_layout_tile kept = {0};
  size_t place[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < tile->loop_count; i++) {
    if (tile->extent[i] == 1)
      continue;
    place[i] = kept.loop_count++;
    kept.extent[place[i]] = tile->extent[i];
    kept.size[place[i]] = tile->size[i];
  }
  for (size_t i = 0, next = 0; i < tile->loop_count; i++)
    if (tile->extent[tile->order[i]] != 1)
      kept.order[next++] = place[tile->order[i]];
  return kept;
}

// Of `nest`: along its output's last dimension, and across where an input lies across.
static tune_layout_tile tile_of(const tune_nest *nest) {
  const tune_operand *out = &nest->operands[nest->input_count];
  tune_layout_tile tile = {0};
  size_t cross = SIZE_MAX;
  if (!is_plain_op(nest) || out->rank != nest->loop_count)
    return tile;
  for (size_t i = 0; i < out->rank; i++)
    if (!tune_operand_is_loop(out, i, i))
      return tile;
  for (size_t o = 0; o < nest->input_count; o++) {
    // What upstream does not vectorize would be an op that rules find among their own.
    if (!tune_operand_is_projection(&nest->operands[o]))
      return tile;
    size_t along = tune_operand_contiguous_loop(nest, &nest->operands[o]);
    if (along != TUNE_NO_LOOP && along + 1 != nest->loop_count &&
        tune_operand_coefficient(&nest->operands[o], nest->loop_count - 1))
      cross = along;
  }
  return make_tile(nest->loop_count, nest->extent, cross);
}

// Of dimension `dimension` of `operand`, with what it is filled up to.
static int64_t extent_of(const product *p, const tune_layout *layout, size_t operand,
                         size_t dimension) {
  size_t loop = loop_of(p, operand, dimension);
  return loop != TUNE_NO_LOOP && loop == layout->filled
             ? layout->packed[loop]
             : p->anchor->operands[operand].shape[dimension];
}

static void tile_copy(const product *p, size_t operand, tune_layout *layout) {
  tune_layout_operand *moved = &layout->operands[operand];
  int64_t extent[TUNE_MAX_LOOPS];
  size_t cross = SIZE_MAX;
  for (size_t i = 0; i < moved->rank; i++) {
    extent[i] = extent_of(p, layout, operand, moved->order[i]);
    if (moved->order[i] + 1 == moved->rank)
      cross = i;
  }
  moved->copy = make_tile(moved->rank, extent, cross);
  // What is read goes by as it lies in memory; what is written is whole lines of a cache anyhow.
  for (size_t i = 0; i < moved->rank; i++)
    moved->copy.order[moved->order[i]] = i;
  moved->copy = without_units(&moved->copy);
}

// Of what follows the product once that is in its new order: the op after it, or the copy back.
static tune_layout_tile tile_after(const product *p, const tune_layout *layout) {
  const tune_layout_operand *moved = &layout->operands[2];
  size_t last = moved->order[moved->rank - 1];
  int64_t extent[TUNE_MAX_LOOPS];
  if (!p->after || layout->filled != SIZE_MAX) {
    for (size_t i = 0; i < moved->rank; i++)
      extent[i] = extent_of(p, layout, 2, i);
    return make_tile(moved->rank, extent, last);
  }
  for (size_t o = 0; o < p->after->input_count; o++) {
    const tune_operand *read = &p->after->operands[o];
    if (read->producer != (size_t)(p->anchor - p->structure->nests))
      continue;
    for (size_t loop = 0; loop < p->after->loop_count; loop++)
      if (tune_operand_is_loop(read, last, loop))
        return make_tile(p->after->loop_count, p->after->extent, loop);
  }
  return (tune_layout_tile){0};
}

//===--------------------------------------------------------------------------===//
// Layouts
//===--------------------------------------------------------------------------===//

// Whether `loop` is no part of a window: a dimension by itself wherever it is one at all.
static bool can_pack(const product *p, size_t loop) {
  for (size_t o = 0; o < 3; o++)
    if (uses(p, o, loop) && tune_operand_find_loop(&p->anchor->operands[o], loop) == SIZE_MAX)
      return false;
  return true;
}

// A loop that is a dimension of operand `operand` by itself: one that is packed already, or else
// one that the output has too.
static size_t find_packed_loop(const product *p, const tune_layout *layout, size_t operand) {
  size_t best = TUNE_NO_LOOP;
  for (size_t loop = 0; loop < p->anchor->loop_count; loop++) {
    if (!uses(p, operand, loop) || !can_pack(p, loop))
      continue;
    if (layout->packed[loop])
      return loop;
    if (best == TUNE_NO_LOOP || (p->anchor->is_reduction[best] && !p->anchor->is_reduction[loop]))
      best = loop;
  }
  return best;
}

// Adds the order of `operand` to `layout`; false where it has it already or cannot have it.
static bool move_operand(const product *p, size_t operand, tune_layout *layout) {
  tune_layout_operand order = {0};
  size_t loop = find_packed_loop(p, layout, operand);
  if (loop == TUNE_NO_LOOP || !find_order(p, operand, &order))
    return false;
  order.moves = true;
  layout->operands[operand] = order;
  layout->packs = true;
  layout->packed[loop] = 1;
  return true;
}

// Whether `loop` is the last dimension of `operand` in its new order.
static bool is_last(const product *p, const tune_layout *layout, size_t operand, size_t loop) {
  const tune_layout_operand *moved = &layout->operands[operand];
  size_t rank = p->anchor->operands[operand].rank;
  return rank > 0 && tune_operand_is_loop(&p->anchor->operands[operand],
                                          moved->moves ? moved->order[rank - 1] : rank - 1, loop);
}

// The output channels, where they come last in filter and output.
static bool fill_columns(const product *p, tune_layout *layout) {
  size_t dimension = p->anchor->operands[2].rank - 1;
  if (layout->operands[2].moves)
    dimension = layout->operands[2].order[dimension];
  size_t loop = loop_of(p, 2, dimension);
  int64_t lanes = p->lanes;
  if (lanes < 2 || loop == TUNE_NO_LOOP || rank_of(p, loop) < 5 ||
      p->anchor->extent[loop] % lanes == 0 || !can_pack(p, loop) ||
      !is_last(p, layout, p->filter, loop) ||
      (uses(p, p->image, loop) && !is_last(p, layout, p->image, loop)))
    return false;
  layout->packs = true;
  layout->filled = loop;
  layout->packed[loop] = (p->anchor->extent[loop] + lanes - 1) / lanes * lanes;
  return true;
}

static bool stands_beside(const product *p, const tune_nest *nest, const tune_layout *layout) {
  // What is filled up is padded before, and cut off again by a slice, which no rule sees through.
  if (nest == p->after)
    return layout->filled != SIZE_MAX || (p->turns_after && !layout->operands[2].moves);
  return nest != p->anchor && (nest != p->init || layout->filled != SIZE_MAX) &&
         nest->kind == TUNE_NEST_GENERIC;
}

// Lists the product, what follows it, and what all of these read.
static void list_ops(const product *p, tune_layout *layout) {
  const tune_nest *nests = p->structure->nests,
                  *listed[TUNE_LAYOUT_MAX_OPS] = {p->anchor, p->after};
  size_t count = p->after ? 2 : 1;
  layout->ops[1].operand = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    if (stands_beside(p, listed[i], layout)) {
      layout->ops[i].tile = tile_of(listed[i]);
      layout->has_math |= listed[i]->math_op_count > 0;
    }
    // What is padded is no operand of the nest of a pad.
    size_t operands = listed[i]->kind == TUNE_NEST_PAD ? 1 : listed[i]->operand_count;
    for (size_t o = 0; o < operands && count < TUNE_LAYOUT_MAX_OPS; o++) {
      size_t producer = listed[i]->kind == TUNE_NEST_PAD ? listed[i]->pad_source
                                                         : listed[i]->operands[o].producer;
      bool is_new = producer != TUNE_NO_LOOP;
      for (size_t j = 0; j < count && is_new; j++)
        is_new = listed[j] != &nests[producer];
      if (!is_new)
        continue;
      layout->ops[count] = (tune_layout_op){.from = i, .operand = o};
      listed[count++] = &nests[producer];
    }
  }
  layout->op_count = count;
}

static void finish(const product *p, tune_layout *layout) {
  layout->loop_count = p->anchor->loop_count;
  memcpy(layout->is_reduction, p->anchor->is_reduction, sizeof layout->is_reduction);
  layout->starts_filled = p->init && p->init->kind == TUNE_NEST_FILL;
  for (size_t loop = 0; loop < p->anchor->loop_count; loop++) {
    layout->packs_output |= layout->packed[loop] && uses(p, 2, loop);
    layout->is_unit[loop] = p->anchor->extent[loop] == 1;
  }
  for (size_t o = 0; o < 2; o++)
    if (layout->operands[o].moves)
      tile_copy(p, o, layout);
  if (layout->operands[2].moves) {
    tune_layout_tile after = tile_after(p, layout);
    layout->after = without_units(&after);
    layout->has_math |= p->after && p->after->math_op_count > 0;
  }
  list_ops(p, layout);
}

size_t tune_layouts_find(const tune_structure *structure, const tune_machine *machine,
                         tune_layout layouts[TUNE_LAYOUTS_MOST]) {
  product p = {.structure = structure};
  if (!structure->is_regular || structure->is_dynamic || structure->is_empty ||
      structure->has_bits || !find_ops(&p))
    return 0;
  p.turns_after = turns(&p);
  p.lanes = machine->vector_bits / tune_operand_register_bits(&p.anchor->operands[2]);
  bool slides[2] = {!tune_operand_is_projection(&p.anchor->operands[0]),
                    !tune_operand_is_projection(&p.anchor->operands[1])};
  if (slides[0] && slides[1])
    return 0;
  p.image = slides[1] ? 1 : 0;
  p.filter = 1 - p.image;
  // Columns of a product are those of the output's last dimension.
  size_t last = loop_of(&p, 2, p.anchor->operands[2].rank - 1);
  if (!slides[0] && !slides[1] && last != TUNE_NO_LOOP && uses(&p, 0, last) && !uses(&p, 1, last)) {
    p.image = 1;
    p.filter = 0;
  }
  size_t count = 0;
  tune_layout layout = {.name = "beside", .filled = SIZE_MAX, .has_threads = machine->threads > 1};
  layouts[count++] = layout;
  const size_t operands[] = {p.filter, p.image, 2};
  static const char *const NAMES[] = {"filter", "image", "output"};
  for (size_t i = 0; i < 3; i++) {
    layout.name = NAMES[i];
    if (move_operand(&p, operands[i], &layout))
      layouts[count++] = layout;
  }
  size_t plain = count;
  for (size_t i = 0; i < plain; i++) {
    tune_layout filled = layouts[i];
    filled.name = "filled";
    if (fill_columns(&p, &filled))
      layouts[count++] = filled;
  }
  for (size_t i = 0; i < count; i++)
    finish(&p, &layouts[i]);
  return count;
}

bool tune_layouts_has_tiles(const tune_structure *structure) {
  product p = {.structure = structure};
  if (!structure->is_regular || !find_ops(&p))
    return false;
  bool has[2] = {false, false};
  for (size_t loop = 0; loop < p.anchor->loop_count; loop++)
    if (!p.anchor->is_reduction[loop] && p.anchor->extent[loop] != 1 &&
        uses(&p, 0, loop) != uses(&p, 1, loop))
      has[uses(&p, 0, loop) ? 0 : 1] = true;
  return has[0] && has[1];
}

// Lines of pixels that fill a vector for the most part, or several. Without steps they are short
// ones, whose planes stay in the first cache: rules made for windows have half of the lanes for
// those that are no whole vectors, or turn the image.
static bool has_lines(const product *p, const tune_machine *machine) {
  const tune_operand *image = &p->anchor->operands[p->image], *out = &p->anchor->operands[2];
  size_t pixel = loop_of(p, 2, out->rank - 1);
  const tune_index *last = &image->index[image->rank - 1];
  if (pixel == TUNE_NO_LOOP || !is_pixel(p, pixel) || !last->is_linear)
    return false;
  int64_t extent = p->anchor->extent[pixel], lanes = p->lanes;
  bool is_short = machine->vector_registers <= 16 && extent % lanes && extent < 4 * lanes;
  return 4 * extent >= 3 * lanes &&
         (last->coefficient[pixel] == 2 || (last->coefficient[pixel] == 1 && is_short));
}

bool tune_layouts_is_best_as_it_lies(const tune_structure *structure, const tune_machine *machine) {
  enum { MOST_PRODUCTS = 9 }; // with 25 the copy pays on 512 bits
  product p = {.structure = structure};
  if (machine->threads > 1 || !structure->is_regular || structure->is_dynamic || !find_ops(&p))
    return false;
  const tune_nest *anchor = p.anchor;
  p.filter = tune_operand_is_projection(&anchor->operands[1]) ? 1 : 0;
  p.image = 1 - p.filter;
  p.lanes = machine->vector_bits / 32;
  int64_t products = 1;
  for (size_t loop = 0; loop < anchor->loop_count; loop++) {
    if (!anchor->is_reduction[loop])
      continue;
    if (!is_window(&p, loop))
      return false;
    products *= anchor->extent[loop];
  }
  return anchor->operands[2].rank > 0 && anchor->operands[p.image].rank > 0 &&
         anchor->operands[2].bits == 32 && anchor->operands[p.image].bits == 32 &&
         !has_columns(&p) && products > 1 && products <= MOST_PRODUCTS && has_lines(&p, machine);
}
