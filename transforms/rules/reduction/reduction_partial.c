//===- reduction_partial.c - Sums in parts: vectors of them, and shares for threads -===//
//
// Partial results reorder floating-point sums; the check's tolerance knows the length. How
// many there are is an attribute of upstream's ops and no param, so that a knob is a list
// of alternatives.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/reduction/reduction_steps.h"

#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"

void tune_reduction_write_remade(const tune_reduction_plan *p, const tune_nest *user,
                                 const char *op, const char *loop, tune_writer *w) {
  for (size_t o = 0; o < user->input_count; o++) {
    if (user->operands[o].producer != p->remade)
      continue;
    tune_writer_line(w, "%%slice_%zu = transform.get_producer_of_operand %s[%zu] : (" OP ") -> " OP,
                     o, op, o);
    tune_writer_line(w, "%%kept_%zu = transform.get_producer_of_operand %%slice_%zu[0]", o, o);
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w, "%%remade_%zu, %%around_%zu = transform.structured.fuse_into_containing_op",
                     o, o);
    tune_writer_line(w, "  %%kept_%zu into %s : (" OP ", " OP ") -> (" OP ", " OP ")", o, loop);
  }
}

// "[0, 1, 64]": loops before the line whole, `size` of the loop that becomes vectors, 1 of others.
static const char *part_sizes(const tune_reduction_plan *p, size_t before, int64_t size,
                              char *buffer, size_t buffer_size) {
  size_t used = (size_t)snprintf(buffer, buffer_size, "[");
  for (size_t i = 0; i < before + p->line_count && used < buffer_size; i++)
    used += (size_t)snprintf(buffer + used, buffer_size - used, "%s%lld", i ? ", " : "",
                             i < before               ? 0ll
                             : i - before == p->along ? (long long)size
                                                      : 1ll);
  if (used < buffer_size)
    snprintf(buffer + used, buffer_size - used, "]");
  return buffer;
}

// `name` keeps the results of several apart.
static void write_part(const tune_reduction_plan *p, const tune_reduction_sums *sums,
                       const char *handle, int64_t size, const char *name, tune_writer *w) {
  char sizes[128];
  tune_writer_line(w, "%%%s_start, %%%s_part, %%%s_sum, %%%s_loop =", name, name, name, name);
  tune_writer_line(w, "  transform.structured.tile_reduction_using_for %s by tile_sizes = %s",
                   handle, part_sizes(p, sums->before, size, sizes, sizeof sizes));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ")");
  if (sums->remakes) {
    char part[32], loop[32];
    snprintf(part, sizeof part, "%%%s_part", name);
    snprintf(loop, sizeof loop, "%%%s_loop", name);
    tune_reduction_write_remade(p, sums->remakes, part, loop, w);
  }
}

// Splits `handle` at step `at` of its loop `dimension`.
static void write_split(const char *handle, int64_t at, size_t dimension, const char *first,
                        const char *rest, tune_writer *w) {
  tune_writer_line(w,
                   "%s_and_rest = transform.structured.split %s after %lld {dimension = %zu} : " OP,
                   first, handle, (long long)at, dimension);
  tune_writer_line(w, "%s, %s = transform.split_handle %s_and_rest : (" OP ") -> (" OP ", " OP ")",
                   first, rest, first);
}

static void write_parts_of(const tune_reduction_plan *p, const tune_reduction_sums *sums,
                           int64_t size, tune_writer *w) {
  int64_t rest = sums->length % size;
  // The rest of a line of one loop is one vector already.
  bool is_rest_whole = p->line_count == 1 && sums->before == 0;
  if (is_rest_whole && sums->length < size)
    return;
  tune_writer_begin_foreach(w, sums->handle, "%reduction");
  if (sums->length < size) {
    write_part(p, sums, "%reduction", sums->length, "whole", w);
  } else if (rest == 0) {
    write_part(p, sums, "%reduction", size, "whole", w);
  } else {
    write_split("%reduction", sums->length - rest, sums->before + p->along, "%most", "%rest", w);
    write_part(p, sums, "%most", size, "most", w);
    if (!is_rest_whole)
      write_part(p, sums, "%rest", rest, "rest", w);
  }
  tune_writer_end_foreach(w);
}

// Whole vectors, and short lines as they are: with a rest for each step of the loops around it,
// those would be two loops.
static tune_value_set part_lengths(const tune_reduction_plan *p, int64_t *out_default) {
  int64_t length = p->line[p->along], lanes = p->lanes;
  tune_value_set lengths = {0};
  for (int64_t count = 1; count <= 8; count *= 2)
    if (count * lanes <= length && (p->remade == TUNE_NO_LOOP || length % (count * lanes) == 0))
      tune_value_set_add(&lengths, count * lanes);
  bool is_short = p->line_count > 1 && length <= 8 * lanes;
  if (is_short)
    tune_value_set_add(&lengths, length);
  *out_default = lengths.count == 0           ? 0
                 : is_short && length % lanes ? length
                 : p->shape == TUNE_REDUCTION_ROW_BLOCK
                     ? lanes
                     : tune_value_set_at_most(&lengths, 4 * lanes);
  return lengths;
}

void tune_reduction_write_partials(const tune_reduction_plan *p, const tune_reduction_sums *sums,
                                   size_t count, tune_writer *w) {
  int64_t default_length;
  tune_value_set lengths = part_lengths(p, &default_length);
  if (lengths.count == 0)
    return;
  char labels[256] = "";
  size_t used = 0;
  int64_t default_index = 0;
  for (size_t i = 0; i < lengths.count; i++) {
    used += (size_t)snprintf(labels + used, sizeof labels - used, "%s\"of_%lld\"", i ? ", " : "",
                             (long long)lengths.values[i]);
    if (lengths.values[i] == default_length)
      default_index = (int64_t)i;
  }
  tune_writer_begin_alternatives(w, NULL, "partial", TUNE_LEVEL_VECTOR, labels, default_index, 0);
  for (size_t i = 0; i < lengths.count; i++) {
    if (i)
      tune_writer_next_alternative(w, NULL, 0);
    for (size_t s = 0; s < count; s++)
      write_parts_of(p, &sums[s], lengths.values[i], w);
  }
  tune_writer_end_alternatives(w, NULL, 0);
}

//===--------------------------------------------------------------------------===//
// Shares
//===--------------------------------------------------------------------------===//

// Below so many bytes a thread takes longer to start than to add.
#define BYTES_WORTH_A_THREAD (128 << 10)

static int64_t count_bytes(const tune_reduction_plan *p) {
  int64_t bytes = p->root->operands[p->root->input_count].bits / 8;
  for (size_t i = 0; i < p->line_count; i++)
    bytes *= p->line[i];
  return bytes;
}

size_t tune_reduction_write_shares(const tune_reduction_plan *p, const tune_machine *machine,
                                   tune_reduction_sums *out_sums, tune_writer *w) {
  int64_t extent = p->line[0], unit = p->line_count == 1 ? 8 * (int64_t)p->lanes : 1;
  int64_t threads = (int64_t)machine->threads, most = 0;
  out_sums[0] = (tune_reduction_sums){.handle = "%sums", .length = p->line[p->along]};
  char labels[128] = "\"of_1\"";
  size_t used = strlen(labels);
  for (int64_t each = 1; each <= 4 && threads > 1 && each * threads * unit <= extent; each *= 2) {
    most = each * threads;
    used += (size_t)snprintf(labels + used, sizeof labels - used, ", \"of_%lld\"", (long long)most);
  }
  if (most == 0)
    return 1;
  // All shares are of one length; what is left over is a sum of its own.
  int64_t rest = extent % (most * unit);
  if (rest)
    write_split("%sums", extent - rest, 0, "%divided", "%left_over", w);
  else
    tune_writer_line(w, "%%divided = transform.merge_handles %%sums : " OP);
  tune_writer_begin_alternatives(w, "%shares", "shares", TUNE_LEVEL_LINALG, labels,
                                 count_bytes(p) >= threads * BYTES_WORTH_A_THREAD ? 1 : 0, 1);
  tune_writer_line(w, "%%one = transform.merge_handles %%divided : " OP);
  for (int64_t shares = threads; shares <= most; shares *= 2) {
    tune_writer_next_alternative(w, shares == threads ? "%one" : "%share", 1);
    char counts[128];
    size_t at = (size_t)snprintf(counts, sizeof counts, "[%lld", (long long)shares);
    for (size_t i = 1; i < p->line_count && at < sizeof counts; i++)
      at += (size_t)snprintf(counts + at, sizeof counts - at, ", 0");
    tune_writer_line(w, "%%share_start, %%share, %%share_sum, %%share_loop =");
    tune_writer_line(w,
                     "  transform.structured.tile_reduction_using_forall %%divided by "
                     "num_threads = %s] tile_sizes = []",
                     counts);
    tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ")");
  }
  tune_writer_end_alternatives(w, "%share", 1);
  out_sums[0] = (tune_reduction_sums){.handle = "%shares",
                                      .length = p->line_count == 1 ? unit : p->line[p->along]};
  out_sums[1] = (tune_reduction_sums){.handle = "%left_over",
                                      .length = p->line_count == 1 ? rest : p->line[p->along]};
  return rest ? 2 : 1;
}
