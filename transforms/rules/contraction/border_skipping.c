//===- border_skipping.c ----------------------------------------------------------------===//

#include "transforms/rules/contraction/border_skipping.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define VALUE "!pdl.value"

//===--------------------------------------------------------------------------===//
// Where the borders are
//===--------------------------------------------------------------------------===//

// Rounded up; of a divisor that is positive.
static int64_t divide_up(int64_t value, int64_t divisor) {
  return value >= 0 ? (value + divisor - 1) / divisor : -(-value / divisor);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

// The pixels [from, to) for which the window's column `window` is inside of the image.
typedef struct pixel_range {
  int64_t from, to;
} pixel_range;

static pixel_range pixels_inside(const tune_border *border, int64_t window) {
  int64_t first = border->low - window * border->dilation;
  pixel_range range = {clamp(divide_up(first, border->stride), 0, border->pixels),
                       clamp(divide_up(first + border->inside, border->stride), 0, border->pixels)};
  if (range.to < range.from)
    range.to = range.from;
  return range;
}

// Reads the border of the image's dimension `dimension`, if it is one pixel loop and one window.
static bool read_border(const tune_nest *anchor, const tune_nest *pad, size_t image,
                        size_t dimension, tune_border *border) {
  const tune_index *index = &anchor->operands[image].index[dimension];
  *border = (tune_border){.loop = TUNE_NO_LOOP, .window = TUNE_NO_LOOP};
  if (!index->is_linear || index->constant != 0)
    return false;
  for (size_t loop = 0; loop < anchor->loop_count; loop++) {
    if (index->coefficient[loop] == 0)
      continue;
    size_t *part = anchor->is_reduction[loop] ? &border->window : &border->loop;
    if (index->coefficient[loop] < 0 || *part != TUNE_NO_LOOP)
      return false;
    *part = loop;
  }
  if (border->loop == TUNE_NO_LOOP || border->window == TUNE_NO_LOOP ||
      pad->pad_low[dimension] == TUNE_DYNAMIC_EXTENT ||
      pad->pad_high[dimension] == TUNE_DYNAMIC_EXTENT)
    return false;
  border->pixels = anchor->extent[border->loop];
  border->windows = anchor->extent[border->window];
  border->stride = index->coefficient[border->loop];
  border->dilation = index->coefficient[border->window];
  border->dimension = dimension;
  border->low = pad->pad_low[dimension];
  border->inside = pad->extent[dimension] - pad->pad_low[dimension] - pad->pad_high[dimension];
  return border->inside > 0 && border->pixels > 1 && border->windows > 1;
}

static double share_inside(const tune_border *border) {
  int64_t inside = 0;
  for (int64_t window = 0; window < border->windows; window++) {
    pixel_range range = pixels_inside(border, window);
    inside += range.to - range.from;
  }
  return (double)inside / (double)(border->windows * border->pixels);
}

bool tune_borders_find(const tune_structure *structure, const tune_nest *anchor, size_t image,
                       size_t row, tune_borders *out_borders) {
  const tune_operand *operand = &anchor->operands[image];
  tune_border none = {.loop = TUNE_NO_LOOP, .window = TUNE_NO_LOOP};
  *out_borders = (tune_borders){.anchor = anchor,
                                .image = image,
                                .filter = 1 - image,
                                .row = row,
                                .lines = none,
                                .pixels = none,
                                .share = 1};
  if (structure->is_dynamic || operand->producer == TUNE_NO_LOOP)
    return false;
  const tune_nest *pad = &structure->nests[operand->producer];
  if (pad->kind != TUNE_NEST_PAD || !pad->pads_zeroes || pad->loop_count != operand->rank)
    return false;
  for (size_t i = 0; i < operand->rank; i++) {
    tune_border border;
    if (!read_border(anchor, pad, image, i, &border))
      continue;
    double share = share_inside(&border);
    if (share == 1)
      continue;
    if (border.loop == row)
      out_borders->pixels = border;
    else if (out_borders->lines.loop == TUNE_NO_LOOP)
      out_borders->lines = border;
    else
      continue;
    out_borders->share *= share;
  }
  // Parts have kernels of their own, which all have to be compiled.
  enum { MOST_WINDOWS = 7 };
  return out_borders->share <= 0.97 && out_borders->pixels.windows <= MOST_WINDOWS;
}

//===--------------------------------------------------------------------------===//
// Lines of the window
//===--------------------------------------------------------------------------===//

// A type, an attribute or a list of operands.
typedef struct text {
  char text[256];
  size_t used;
} text;

static void append(text *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(text *list, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (list->used < sizeof list->text)
    list->used += (size_t)vsnprintf(list->text + list->used, sizeof list->text - list->used, format,
                                    arguments);
  va_end(arguments);
}

// What is known of a slice that has a part of the window's lines: where it begins and how large it
// is in each dimension.
typedef struct slice_text {
  text offsets, sizes, strides, type, operands, types;
  size_t dynamic_count; // operands that are offsets
} slice_text;

static void begin_slice(slice_text *slice, const char *source) {
  *slice = (slice_text){.dynamic_count = 0};
  append(&slice->offsets, "array<i64: ");
  append(&slice->sizes, "array<i64: ");
  append(&slice->strides, "array<i64: ");
  append(&slice->type, "tensor<");
  append(&slice->operands, "%%%s", source);
  append(&slice->types, VALUE);
}

// One more dimension: from the value `offset` on (NULL: from 0) of the size `size`, or of one that
// is known at run time only if that is TUNE_DYNAMIC_EXTENT.
static void add_dimension(slice_text *slice, size_t dimension, const char *offset, int64_t size) {
  const char *comma = dimension ? ", " : "";
  append(&slice->offsets, "%s%" PRId64, comma, offset ? INT64_MIN : 0);
  append(&slice->sizes, "%s%" PRId64, comma, size == TUNE_DYNAMIC_EXTENT ? INT64_MIN : size);
  append(&slice->strides, "%s1", comma);
  if (size == TUNE_DYNAMIC_EXTENT)
    append(&slice->type, "?x");
  else
    append(&slice->type, "%" PRId64 "x", size);
  if (!offset)
    return;
  append(&slice->operands, ", %%%s", offset);
  append(&slice->types, ", " VALUE);
  slice->dynamic_count++;
}

// `%result_op` = the slice, with the size `size`.
static void end_slice(slice_text *slice, const char *result, const char *size, const char *element,
                      tune_writer *w) {
  tune_writer_line(w, "%%%s_type = pdl.type : %s%s>", result, slice->type.text, element);
  tune_writer_line(w, "%%%s_offsets = pdl.attribute = %s>", result, slice->offsets.text);
  tune_writer_line(w, "%%%s_sizes = pdl.attribute = %s>", result, slice->sizes.text);
  tune_writer_line(w, "%%%s_strides = pdl.attribute = %s>", result, slice->strides.text);
  tune_writer_line(w, "%%%s_segments = pdl.attribute = array<i32: 1, %zu, 1, 0>", result,
                   slice->dynamic_count);
  tune_writer_line(w, "%%%s_op = pdl.operation \"tensor.extract_slice\"(%s, %%%s : %s, " VALUE ")",
                   result, slice->operands.text, size, slice->types.text);
  tune_writer_line(w,
                   "  {\"static_offsets\" = %%%s_offsets, \"static_sizes\" = %%%s_sizes, "
                   "\"static_strides\" = %%%s_strides,",
                   result, result, result);
  tune_writer_line(w, "   \"operandSegmentSizes\" = %%%s_segments} -> (%%%s_type : !pdl.type)",
                   result, result);
}

// `%result` = the affine op `op` with the map `map` of the values `operands`.
static void write_affine(tune_writer *w, const char *result, const char *op, const char *map,
                         const char *const *operands) {
  tune_pdl_operation(w, result, op, "index", operands, TUNE_PDL_ATTRIBUTES({"map", map}));
}

// The name of the value at which the image's slice begins in a dimension, in `name`; NULL: at 0.
static const char *image_offset(const tune_borders *borders, size_t dimension, char *name,
                                size_t size) {
  const tune_index *index = &borders->anchor->operands[borders->image].index[dimension];
  for (size_t loop = 0; loop < borders->anchor->loop_count; loop++)
    if (index->coefficient[loop] && !borders->anchor->is_reduction[loop] && loop != borders->row &&
        borders->anchor->extent[loop] > 1) {
      snprintf(name, size, "at_%zu", dimension);
      return name;
    }
  return NULL;
}

// How many elements of the image's dimension one line of the output with all windows reads.
static int64_t image_size(const tune_borders *borders, size_t dimension) {
  const tune_nest *anchor = borders->anchor;
  const tune_index *index = &anchor->operands[borders->image].index[dimension];
  int64_t size = 1;
  for (size_t loop = 0; loop < anchor->loop_count; loop++)
    if (anchor->is_reduction[loop] || loop == borders->row)
      size += index->coefficient[loop] * (anchor->extent[loop] - 1);
  return size;
}

// The size of the filter's dimension in what one line of the output reads.
static int64_t filter_size(const tune_borders *borders, size_t dimension) {
  const tune_nest *anchor = borders->anchor;
  for (size_t loop = 0; loop < anchor->loop_count; loop++)
    if (anchor->is_reduction[loop] &&
        tune_operand_is_loop(&anchor->operands[borders->filter], dimension, loop))
      return anchor->extent[loop];
  return 1;
}

// The op whose operands have all lines of the window: `%nest`, on `%image` and `%filter`.
static void match_nest(const tune_borders *borders, size_t col, int64_t tile, tune_writer *w) {
  const tune_nest *anchor = borders->anchor;
  const tune_operand *image = &anchor->operands[borders->image];
  const tune_operand *filter = &anchor->operands[borders->filter];
  text operands = {.used = 0}, types = {.used = 0}, filter_type = {.used = 0};
  char name[32];
  tune_writer_line(w, "%%source = pdl.operand");
  for (size_t i = 0; i < image->rank; i++)
    if (image_offset(borders, i, name, sizeof name)) {
      tune_pdl_operand(w, name, "index");
      append(&operands, ", %%%s", name);
      append(&types, ", " VALUE);
    }
  tune_writer_line(w, "%%line_type = pdl.type");
  tune_writer_line(w,
                   "%%line_op = pdl.operation \"tensor.extract_slice\"(%%source%s : " VALUE
                   "%s) -> (%%line_type : !pdl.type)",
                   operands.text, types.text);
  tune_writer_line(w, "%%line = pdl.result 0 of %%line_op");
  append(&filter_type, "tensor<");
  for (size_t i = 0; i < filter->rank; i++)
    append(&filter_type, "%" PRId64 "x",
           tune_operand_is_loop(filter, i, col) ? tile : filter_size(borders, i));
  append(&filter_type, "%s>", filter->type);
  tune_writer_line(w, "%%image_type = pdl.type");
  tune_writer_line(w, "%%filter_type = pdl.type : %s", filter_type.text);
  tune_writer_line(w, "%%weights = pdl.operand");
  for (int i = 0; i < 2; i++) {
    const char *slice = i ? "filter" : "image";
    tune_writer_line(w, "%%%s_first = pdl.operand", slice);
    tune_writer_line(w,
                     "%%%s_op = pdl.operation \"tensor.extract_slice\"(%%%s, %%%s_first : " VALUE
                     ", " VALUE ") -> (%%%s_type : !pdl.type)",
                     slice, i ? "weights" : "line", slice, slice);
    tune_writer_line(w, "%%%s = pdl.result 0 of %%%s_op", slice, slice);
  }
  tune_writer_line(w, "%%sums = pdl.operand");
  tune_writer_line(w, "%%sums_type = pdl.type");
  tune_writer_line(w,
                   "%%nest = pdl.operation \"linalg.generic\"(%s, %%sums : " VALUE ", " VALUE
                   ", " VALUE ") -> (%%sums_type : !pdl.type)",
                   borders->image == 0 ? "%image, %filter" : "%filter, %image");
}

// The same with the lines that meet the image alone, from %first on, %count of them.
static void write_lines_inside(const tune_borders *borders, tune_writer *w) {
  const tune_border *lines = &borders->lines;
  char at[32], map[96];
  image_offset(borders, lines->dimension, at, sizeof at);
  snprintf(map, sizeof map, "affine_map<(d0) -> (0, (%" PRId64 " - d0) ceildiv %" PRId64 ")>",
           lines->low, lines->dilation);
  write_affine(w, "first", "affine.max", map, TUNE_PDL_OPERANDS(at));
  snprintf(map, sizeof map,
           "affine_map<(d0) -> (%" PRId64 ", (%" PRId64 " - d0) ceildiv %" PRId64 ")>",
           lines->windows, lines->low + lines->inside, lines->dilation);
  write_affine(w, "end", "affine.min", map, TUNE_PDL_OPERANDS(at));
  write_affine(w, "count", "affine.max", "affine_map<(d0, d1) -> (0, d1 - d0)>",
               TUNE_PDL_OPERANDS("first", "end"));
  snprintf(map, sizeof map, "affine_map<(d0, d1) -> (d0 + d1 * %" PRId64 ")>", lines->dilation);
  write_affine(w, "top", "affine.apply", map, TUNE_PDL_OPERANDS(at, "first"));
  snprintf(map, sizeof map, "affine_map<(d0) -> (0, d0 * %" PRId64 " - %" PRId64 ")>",
           lines->dilation, lines->dilation - 1);
  write_affine(w, "height", "affine.max", map, TUNE_PDL_OPERANDS("count"));
}

static void write_line_pattern(const tune_borders *borders, size_t col, int64_t tile,
                               const char *name, tune_writer *w) {
  const tune_operand *image = &borders->anchor->operands[borders->image];
  const tune_operand *filter = &borders->anchor->operands[borders->filter];
  slice_text slice;
  char offset[32];
  tune_pdl_begin_pattern(w, name);
  match_nest(borders, col, tile, w);
  tune_pdl_begin_rewrite(w);
  write_lines_inside(borders, w);
  begin_slice(&slice, "source");
  for (size_t i = 0; i < image->rank; i++) {
    bool is_line = i == borders->lines.dimension;
    add_dimension(&slice, i, is_line ? "top" : image_offset(borders, i, offset, sizeof offset),
                  is_line ? TUNE_DYNAMIC_EXTENT : image_size(borders, i));
  }
  end_slice(&slice, "image_inside", "height", image->type, w);
  begin_slice(&slice, "weights");
  for (size_t i = 0; i < filter->rank; i++) {
    bool is_line = tune_operand_is_loop(filter, i, borders->lines.window);
    add_dimension(&slice, i, is_line ? "first" : NULL,
                  is_line                                ? TUNE_DYNAMIC_EXTENT
                  : tune_operand_is_loop(filter, i, col) ? tile
                                                         : filter_size(borders, i));
  }
  end_slice(&slice, "filter_inside", "count", filter->type, w);
  tune_writer_line(w, "pdl.replace %%image_op with %%image_inside_op");
  tune_writer_line(w, "pdl.replace %%filter_op with %%filter_inside_op");
  tune_pdl_end_pattern(w, NULL);
}

void tune_borders_write_lines(const tune_borders *borders, size_t col, const tune_value_set *tiles,
                              const char *target, tune_writer *w) {
  const tune_nest *anchor = borders->anchor;
  char names[TUNE_MAX_DOMAIN][32], windows[24];
  const char *listed[TUNE_MAX_DOMAIN];
  size_t order[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  // Patterns replace ops without the knowledge of the handles to them, which are not to be there
  // when they do: here and below, handles end with the loop over what they are for.
  // All of the window at once: slices of it, for the pattern to find.
  tune_tiling all = {{0}};
  snprintf(windows, sizeof windows, "%" PRId64, borders->lines.windows);
  all.size[borders->lines.window] = windows;
  tune_writer_begin_foreach(w, target, "%whole");
  tune_writer_tile(w, "%lined", "%window_lines", "%whole", &all, order, anchor->loop_count, NULL);
  tune_writer_end_foreach(w);
  tune_pdl_begin_patterns(w);
  for (size_t i = 0; i < tiles->count; i++) {
    snprintf(names[i], sizeof names[i], "lines_inside_%" PRId64, tiles->values[i]);
    listed[i] = names[i];
    write_line_pattern(borders, col, tiles->values[i], names[i], w);
  }
  tune_pdl_end_patterns(listed, tiles->count, w);
  tune_writer_cleanup(w);
}

//===--------------------------------------------------------------------------===//
// Columns of the window
//===--------------------------------------------------------------------------===//

// Splits the op `target` along the loop `loop` after `size`.
static void write_split(tune_writer *w, const char *target, size_t loop, int64_t size,
                        const char *first, const char *second) {
  tune_writer_line(
      w, "%s_and_on = transform.structured.split %s after %" PRId64 " {dimension = %zu} : " OP,
      first, target, size, loop);
  tune_writer_line(w, "%s, %s = transform.split_handle %s_and_on : (" OP ") -> (" OP ", " OP ")",
                   first, second, first);
}

// Marks what reads borders alone.
static void mark_outside(tune_writer *w, const char *target) {
  tune_writer_line(w, "transform.annotate %s \"tune.outside\" : " OP, target);
}

// Leaves of the op `part`, which has the windows of one range of pixels, what is in that range.
static void write_part(const tune_border *pixels, size_t number, const char *part,
                       pixel_range range, tune_writer *w) {
  char left[32], inside[32], middle[32], right[32];
  snprintf(left, sizeof left, "%%left_%zu", number);
  snprintf(inside, sizeof inside, "%%inside_%zu", number);
  snprintf(middle, sizeof middle, "%%middle_%zu", number);
  snprintf(right, sizeof right, "%%right_%zu", number);
  if (range.from == range.to) {
    mark_outside(w, part);
    return;
  }
  if (range.from > 0) {
    write_split(w, part, pixels->loop, range.from, left, inside);
    mark_outside(w, left);
    part = inside;
  }
  if (range.to < pixels->pixels) {
    write_split(w, part, pixels->loop, range.to - range.from, middle, right);
    mark_outside(w, right);
  }
}

// What is marked gives way to what it would add to.
static void write_removal(tune_writer *w) {
  tune_pdl_begin_patterns(w);
  tune_pdl_begin_pattern(w, "outside");
  tune_writer_line(w, "%%mark = pdl.attribute = unit");
  for (int i = 0; i < 3; i++)
    tune_writer_line(w, "%%operand_%d = pdl.operand", i);
  tune_writer_line(w, "%%type = pdl.type");
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.generic\"(%%operand_0, %%operand_1, "
                      "%%operand_2 : " VALUE ", " VALUE ", " VALUE ") {\"tune.outside\" = %%mark}");
  tune_writer_line(w, "  -> (%%type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  tune_writer_line(w, "pdl.replace %%nest with (%%operand_2 : " VALUE ")");
  tune_pdl_end_pattern(w, NULL);
  tune_pdl_end_patterns((const char *const[]){"outside"}, 1, w);
}

// How many windows from `window` on are inside for the same pixels as that one.
static int64_t count_alike(const tune_border *pixels, int64_t window) {
  pixel_range range = pixels_inside(pixels, window);
  int64_t count = 1;
  for (; window + count < pixels->windows; count++) {
    pixel_range next = pixels_inside(pixels, window + count);
    if (next.from != range.from || next.to != range.to)
      break;
  }
  return count;
}

void tune_borders_write_columns(const tune_borders *borders, const char *target, tune_writer *w) {
  const tune_border *pixels = &borders->pixels;
  size_t number = 0;
  char rest[48], part[48], others[48];
  tune_writer_begin_foreach(w, target, "%windows_inside");
  snprintf(rest, sizeof rest, "%%windows_inside");
  for (int64_t window = 0, count; window < pixels->windows; window += count, number++) {
    count = count_alike(pixels, window);
    snprintf(part, sizeof part, "%s", rest);
    if (window + count < pixels->windows) {
      snprintf(part, sizeof part, "%%part_%zu", number);
      snprintf(others, sizeof others, "%%others_%zu", number);
      write_split(w, rest, pixels->window, count, part, others);
      snprintf(rest, sizeof rest, "%s", others);
    }
    write_part(pixels, number, part, pixels_inside(pixels, window), w);
  }
  tune_writer_end_foreach(w);
  write_removal(w);
  tune_writer_cleanup(w);
}
