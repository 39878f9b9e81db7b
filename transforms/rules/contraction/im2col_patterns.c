//===- im2col_patterns.c ---------------------------------------------------------===//

#include "transforms/rules/contraction/im2col.h"
#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Lines, width, window, window, depth.
#define PATCH_RANK 5

// What a slice says of its place; `rank` of each.
typedef struct place {
  size_t rank;
  int64_t offsets[PATCH_RANK], sizes[PATCH_RANK], strides[PATCH_RANK];
} place;

// `result` = tensor.extract_slice of `from`, or, with `into`, tensor.insert_slice of `from` there.
static void write_slice(tune_writer *w, const char *result, const char *type, const char *from,
                        const char *into, const place *at) {
  tune_pdl_text offsets = tune_pdl_array(at->offsets, at->rank);
  tune_pdl_text sizes = tune_pdl_array(at->sizes, at->rank);
  tune_pdl_text strides = tune_pdl_array(at->strides, at->rank);
  tune_pdl_operation(w, result, into ? "tensor.insert_slice" : "tensor.extract_slice", type,
                     into ? TUNE_PDL_OPERANDS(from, into) : TUNE_PDL_OPERANDS(from),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", offsets.text},
                                         {"static_sizes", sizes.text},
                                         {"static_strides", strides.text},
                                         {"operandSegmentSizes", into ? "array<i32: 1, 1, 0, 0, 0>"
                                                                      : "array<i32: 1, 0, 0, 0>"}));
}

// `result` = `from`, of `shape`, which tensor.expand_shape or tensor.collapse_shape makes of it.
static void write_reshape(tune_writer *w, const char *result, const char *from, bool expands,
                          const char *groups, const int64_t *shape, size_t rank) {
  tune_pdl_text extents = tune_pdl_array(shape, rank);
  if (expands)
    tune_pdl_operation(
        w, result, "tensor.expand_shape", tune_pdl_tensor(shape, rank).text,
        TUNE_PDL_OPERANDS(from),
        TUNE_PDL_ATTRIBUTES({"reassociation", groups}, {"static_output_shape", extents.text}));
  else
    tune_pdl_operation(w, result, "tensor.collapse_shape", tune_pdl_tensor(shape, rank).text,
                       TUNE_PDL_OPERANDS(from), TUNE_PDL_ATTRIBUTES({"reassociation", groups}));
}

// %rows, 1 x pixels x (window x depth): for each value of the window what it meets of the image.
static void write_patches(const tune_im2col *p, int64_t lines, tune_writer *w) {
  const int64_t patch[] = {lines, p->conv.width, p->conv.window[0], p->conv.window[1],
                           p->conv.depth};
  const int64_t piece[] = {lines, p->conv.width, p->conv.depth};
  const int64_t rows[] = {1, lines * p->conv.width,
                          p->conv.window[0] * p->conv.window[1] * p->conv.depth};
  tune_pdl_text type = tune_pdl_tensor(patch, PATCH_RANK), piece_type = tune_pdl_tensor(piece, 3);
  size_t first = p->conv.has_batch ? 1 : 0;
  tune_pdl_text so_far = tune_pdl_format("patch_memory");
  tune_pdl_operation(w, so_far.text, "tensor.empty", type.text, TUNE_PDL_NO_OPERANDS, NULL);
  for (int64_t i = 0; i < p->conv.window[0]; i++)
    for (int64_t j = 0; j < p->conv.window[1]; j++) {
      place from = {.rank = first + 3, .sizes = {1}, .strides = {1}};
      from.offsets[first] = i * p->conv.dilation[0];
      from.offsets[first + 1] = j * p->conv.dilation[1];
      memcpy(&from.sizes[first], piece, sizeof piece);
      from.strides[first] = p->conv.stride[0];
      from.strides[first + 1] = p->conv.stride[1];
      from.strides[first + 2] = 1;
      place to = {.rank = PATCH_RANK,
                  .offsets = {0, 0, i, j, 0},
                  .sizes = {lines, p->conv.width, 1, 1, p->conv.depth},
                  .strides = {1, 1, 1, 1, 1}};
      tune_pdl_text met = tune_pdl_format("met_%" PRId64 "_%" PRId64, i, j);
      tune_pdl_text patches = tune_pdl_format("patches_%" PRId64 "_%" PRId64, i, j);
      write_slice(w, met.text, piece_type.text, "image", NULL, &from);
      write_slice(w, patches.text, type.text, met.text, so_far.text, &to);
      so_far = patches;
    }
  write_reshape(w, "flat_patches", so_far.text, false, "[[0, 1], [2, 3, 4]]", &rows[1], 2);
  write_reshape(w, "rows", "flat_patches", true, "[[0, 1], [2]]", rows, 3);
}

// What starts the sums: anything, or zeroes.
static void write_start_operand(const char *type, bool starts_at_zero, tune_writer *w) {
  if (!starts_at_zero) {
    tune_pdl_operand(w, "start", type);
    return;
  }
  tune_pdl_zero_fill(w, "start", type);
}

void tune_im2col_write_pattern(const tune_im2col *p, const char *name, int64_t lines,
                               bool starts_at_zero, tune_writer *w) {
  const int64_t image[] = {
      1, (lines - 1) * p->conv.stride[0] + (p->conv.window[0] - 1) * p->conv.dilation[0] + 1,
      p->conv.image_width, p->conv.depth};
  const int64_t filter[] = {p->conv.window[0], p->conv.window[1], p->conv.depth, p->conv.channels};
  const int64_t output[] = {1, lines, p->conv.width, p->conv.channels};
  const int64_t columns[] = {1, p->conv.window[0] * p->conv.window[1] * p->conv.depth,
                             p->conv.channels};
  const int64_t products[] = {1, lines * p->conv.width, p->conv.channels};
  size_t skipped = p->conv.has_batch ? 0 : 1;
  tune_pdl_text type = tune_pdl_tensor(output + skipped, 4 - skipped);
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "image", tune_pdl_tensor(image + skipped, 4 - skipped).text);
  tune_pdl_operand(w, "filter", tune_pdl_tensor(filter, 4).text);
  write_start_operand(type.text, starts_at_zero, w);
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.generic\"(%%image, %%filter, %%start : "
                      "!pdl.value, !pdl.value, !pdl.value) -> (%%start_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  write_patches(p, lines, w);
  write_reshape(w, "flat_filter", "filter", false, "[[0, 1, 2], [3]]", &columns[1], 2);
  write_reshape(w, "columns", "flat_filter", true, "[[0, 1], [2]]", columns, 3);
  tune_pdl_matmul(w, "products", tune_pdl_tensor(products, 3).text, "rows", "columns");
  if (p->conv.has_batch) {
    write_reshape(w, "sums", "products", true, "[[0], [1, 2], [3]]", output, 4);
  } else {
    write_reshape(w, "flat_sums", "products", false, "[[0, 1], [2]]", &products[1], 2);
    write_reshape(w, "sums", "flat_sums", true, "[[0, 1], [2]]", output + 1, 3);
  }
  if (!starts_at_zero)
    tune_pdl_operation(w, "added", "tosa.add", type.text, TUNE_PDL_OPERANDS("start", "sums"), NULL);
  tune_pdl_end_pattern(w, starts_at_zero ? "sums" : "added");
}
