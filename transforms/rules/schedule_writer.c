//===- schedule_writer.c ------------------------------------------------------===//

#include "transforms/rules/schedule_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OP "!transform.any_op"

//===--------------------------------------------------------------------------===//
// Sets of values
//===--------------------------------------------------------------------------===//

void tune_value_set_add(tune_value_set *set, int64_t value) {
  size_t at = 0;
  while (at < set->count && set->values[at] < value)
    at++;
  if ((at < set->count && set->values[at] == value) || set->count == TUNE_MAX_DOMAIN)
    return;
  memmove(&set->values[at + 1], &set->values[at], (set->count - at) * sizeof *set->values);
  set->values[at] = value;
  set->count++;
}

int64_t tune_value_set_at_most(const tune_value_set *set, int64_t limit) {
  int64_t best = set->values[0];
  for (size_t i = 0; i < set->count; i++)
    if (set->values[i] <= limit && (best > limit || set->values[i] > best))
      best = set->values[i];
  return best;
}

int64_t tune_turned_side(int64_t extent) {
  int64_t side = 16;
  while (extent % side != 0)
    side /= 2;
  return side;
}

// Divisors come in pairs, one of them at most the square root. Counting ends at this one, so that a
// size of 10^18 takes milliseconds: it finds all divisors up to its square, over which nothing fits
// a memory, and beyond that all but those in the middle.
#define LARGEST_SMALL_DIVISOR (INT64_C(1) << 20)

static int64_t last_small_divisor(int64_t extent) {
  if (extent >= LARGEST_SMALL_DIVISOR * LARGEST_SMALL_DIVISOR)
    return LARGEST_SMALL_DIVISOR;
  int64_t root = (int64_t)sqrt((double)extent);
  while (root * root > extent)
    root--;
  while ((root + 1) * (root + 1) <= extent)
    root++;
  return root;
}

void tune_value_set_add_divisors(tune_value_set *set, int64_t extent, int64_t low, int64_t high,
                                 int64_t step) {
  if (extent < 1 || extent % step != 0)
    return;
  int64_t steps = extent / step, root = last_small_divisor(steps);
  int64_t first = low > step ? (low - 1) / step + 1 : 1;
  int64_t last = high < extent ? high / step : steps;
  // Upwards, since a set that is full takes no more.
  for (int64_t small = first; small <= root && small <= last; small++)
    if (steps % small == 0)
      tune_value_set_add(set, small * step);
  for (int64_t small = root; small >= 1 && set->count < TUNE_MAX_DOMAIN; small--)
    if (steps % small == 0 && steps / small >= first && steps / small <= last)
      tune_value_set_add(set, steps / small * step);
}

//===--------------------------------------------------------------------------===//
// Lines
//===--------------------------------------------------------------------------===//

void tune_writer_init(tune_writer *writer) {
  *writer = (tune_writer){.form = "", .knob_prefix = "", .func = "%func"};
  tune_string_builder_init(&writer->text);
  writer->failure = tune_space_create(&writer->knobs);
}

void tune_writer_deinit(tune_writer *writer) {
  tune_space_destroy(writer->knobs);
  tune_status_free(writer->failure);
  tune_string_builder_deinit(&writer->text);
}

tune_status tune_writer_finish(tune_writer *writer, char **out_text) {
  *out_text = NULL;
  tune_status failure = writer->failure;
  writer->failure = TUNE_OK;
  TUNE_RETURN_IF_ERROR(failure);
  return tune_string_builder_finish(&writer->text, out_text);
}

void tune_writer_line(tune_writer *writer, const char *format, ...) {
  for (unsigned i = 0; i < writer->indent; i++)
    tune_string_builder_append(&writer->text, "  ");
  char buffer[4096];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof buffer)
    writer->text.failed = true;
  else
    tune_string_builder_append(&writer->text, buffer);
  tune_string_builder_append(&writer->text, "\n");
}

const char *tune_writer_types(char *buffer, size_t size, size_t count) {
  size_t used = 0;
  buffer[0] = '\0';
  for (size_t i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s" OP, i ? ", " : "");
  return buffer;
}

const char *tune_writer_iterators(char *buffer, size_t size, const tune_nest *nest,
                                  const size_t *loops, size_t count) {
  size_t used = (size_t)snprintf(buffer, size, "[");
  for (size_t i = 0; i < count && used < size; i++)
    used +=
        (size_t)snprintf(buffer + used, size - used, "%s#linalg.iterator_type<%s>", i ? ", " : "",
                         nest->is_reduction[loops ? loops[i] : i] ? "reduction" : "parallel");
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

//===--------------------------------------------------------------------------===//
// Decisions
//===--------------------------------------------------------------------------===//

// Constraints may name it from now on. What two regions call the same is one knob to them.
static void keep_knob(tune_writer *writer, const char *name, tune_level level,
                      tune_value_set *values) {
  if (!tune_status_is_ok(writer->failure) || tune_space_find_knob(writer->knobs, name) != SIZE_MAX)
    return;
  tune_knob knob = {
      .name = (char *)name, .level = level, .value_count = values->count, .values = values->values};
  writer->failure = tune_space_add_knob(writer->knobs, &knob);
}

void tune_writer_knob(tune_writer *writer, const char *name, const char *kind, tune_level level,
                      const tune_value_set *domain, int64_t default_value) {
  tune_value_set values = *domain;
  tune_value_set_add(&values, default_value);
  keep_knob(writer, name, level, &values);
  tune_string_builder list;
  tune_string_builder_init(&list);
  for (size_t i = 0; i < values.count; i++)
    tune_string_builder_appendf(&list, "%s%" PRId64, i ? ", " : "", values.values[i]);
  tune_writer_line(writer,
                   "%%%s = transform.tune.knob<\"%s%s%s%s\"> options = %s%s%s[%s]%s "
                   "{tune.level = \"%s\", tune.default = %" PRId64 " : i64} "
                   "-> !transform.param<i64>",
                   name, writer->form, *writer->form ? "_" : "", writer->knob_prefix, name,
                   kind ? "#tune." : "", kind ? kind : "", kind ? "<" : "",
                   list.text ? list.text : "", kind ? ">" : "", tune_level_name(level),
                   default_value);
  writer->text.failed |= list.failed;
  tune_string_builder_deinit(&list);
}

// `more` attributes follow the usual ones.
static void begin_alternatives(tune_writer *writer, const char *results, const char *name,
                               tune_level level, const char *labels, int64_t default_index,
                               const char *more, size_t handle_count) {
  char types[512];
  tune_writer_types(types, sizeof types, handle_count);
  tune_writer_line(writer,
                   "%s%stransform.tune.alternatives<\"%s%s%s\"> attributes {tune.level = \"%s\", "
                   "tune.labels = [%s], tune.default = %" PRId64 " : i64%s}%s%s {",
                   results ? results : "", results ? " = " : "", writer->form,
                   *writer->form ? "_" : "", name, tune_level_name(level), labels, default_index,
                   more, handle_count ? " -> " : "", types);
  writer->indent++;
}

void tune_writer_begin_alternatives(tune_writer *writer, const char *results, const char *name,
                                    tune_level level, const char *labels, int64_t default_index,
                                    size_t handle_count) {
  begin_alternatives(writer, results, name, level, labels, default_index, "", handle_count);
}

void tune_writer_begin_split_alternatives(tune_writer *writer, const char *results,
                                          const char *name, tune_level level, const char *labels,
                                          int64_t default_index, int64_t unsplit_index,
                                          size_t handle_count) {
  char more[64];
  snprintf(more, sizeof more, ", tune.unsplit = %" PRId64 " : i64", unsplit_index);
  begin_alternatives(writer, results, name, level, labels, default_index, more, handle_count);
}

static void yield_handles(tune_writer *writer, const char *handles, size_t handle_count) {
  char types[512];
  if (handle_count)
    tune_writer_line(writer, "transform.yield %s : %s", handles,
                     tune_writer_types(types, sizeof types, handle_count));
  else
    tune_writer_line(writer, "transform.yield");
}

void tune_writer_next_alternative(tune_writer *writer, const char *handles, size_t handle_count) {
  yield_handles(writer, handles, handle_count);
  writer->indent--;
  tune_writer_line(writer, "}, {");
  writer->indent++;
}

void tune_writer_end_alternatives(tune_writer *writer, const char *handles, size_t handle_count) {
  yield_handles(writer, handles, handle_count);
  writer->indent--;
  tune_writer_line(writer, "}");
}

//===--------------------------------------------------------------------------===//
// Matching, tiling, vectorizing
//===--------------------------------------------------------------------------===//

void tune_writer_match_generic(tune_writer *writer, const char *result, const tune_nest *nest,
                               const size_t *loops, size_t count, const char *scope) {
  char iterators[640];
  tune_writer_line(writer, "%s = transform.structured.match ops{[\"linalg.generic\"]}", result);
  tune_writer_line(writer, "  attributes{iterator_types = %s} in %s : (" OP ") -> " OP,
                   tune_writer_iterators(iterators, sizeof iterators, nest, loops, count), scope);
}

const char *tune_writer_sizes(char *buffer, size_t size, const tune_tiling *tiling,
                              const size_t *order, size_t count) {
  size_t used = (size_t)snprintf(buffer, size, "[");
  for (size_t i = 0; i < count && used < size; i++) {
    const char *text = tiling->size[order[i]];
    used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", text ? text : "0");
  }
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

// Sizes that are knobs are params, and so part of the op's type.
static size_t count_loops(const tune_tiling *tiling, const size_t *order, size_t count) {
  size_t loops = 0;
  for (size_t i = 0; i < count; i++)
    loops += tiling->size[order[i]] && strcmp(tiling->size[order[i]], "0") != 0;
  return loops;
}

static void append_param_types(tune_string_builder *types, const tune_tiling *tiling,
                               const size_t *order, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tiling->size[order[i]] && tiling->size[order[i]][0] == '%')
      tune_string_builder_append(types, ", !transform.param<i64>");
}

void tune_writer_tile(tune_writer *writer, const char *result, const char *loops,
                      const char *target, const tune_tiling *tiling, const size_t *order,
                      size_t count, const char *interchange) {
  char sizes[256], results[640];
  size_t loop_count = count_loops(tiling, order, count);
  tune_string_builder params;
  tune_string_builder_init(&params);
  append_param_types(&params, tiling, order, count);
  tune_writer_line(writer, "%s, %s:%zu = transform.structured.tile_using_for %s tile_sizes %s%s%s",
                   result, loops, loop_count, target,
                   tune_writer_sizes(sizes, sizeof sizes, tiling, order, count),
                   interchange ? " interchange = " : "", interchange ? interchange : "");
  tune_writer_line(writer, "  : (" OP "%s) -> (%s)", params.text ? params.text : "",
                   tune_writer_types(results, sizeof results, loop_count + 1));
  tune_string_builder_deinit(&params);
}

void tune_writer_try_vectorize(tune_writer *writer, const char *target, const char *sizes) {
  // A suppressed failure must not leave the outer sequence with a handle to a dead op, so the
  // handle is only used inside.
  tune_string_builder params;
  tune_string_builder_init(&params);
  for (const char *at = sizes; at && *at; at++)
    if (*at == '%')
      tune_string_builder_append(&params, ", !transform.param<i64>");
  tune_writer_line(writer, "transform.sequence %s : " OP " failures(suppress) {", target);
  tune_writer_line(writer, "^bb0(%%try: " OP "):");
  tune_writer_line(writer, "  transform.structured.vectorize %%try%s%s : " OP "%s",
                   sizes ? " vector_sizes " : "", sizes ? sizes : "",
                   params.text ? params.text : "");
  tune_writer_line(writer, "}");
  tune_string_builder_deinit(&params);
}

void tune_writer_vectorize_each(tune_writer *writer, const char *targets) {
  tune_writer_begin_foreach(writer, targets, "%one_target");
  tune_writer_try_vectorize(writer, "%one_target", NULL);
  tune_writer_end_foreach(writer);
}

void tune_writer_begin_foreach(tune_writer *writer, const char *targets, const char *target) {
  tune_writer_line(writer, "transform.foreach %s : " OP " {", targets);
  tune_writer_line(writer, "^bb0(%s: " OP "):", target);
  writer->indent++;
}

void tune_writer_end_foreach(tune_writer *writer) {
  writer->indent--;
  tune_writer_line(writer, "}");
}

void tune_writer_begin_scope(tune_writer *writer, const char *scope) {
  tune_writer_line(writer, "transform.sequence %s : " OP " failures(propagate) {", writer->func);
  tune_writer_line(writer, "^bb0(%s: " OP "):", scope);
  writer->indent++;
}

void tune_writer_end_scope(tune_writer *writer) {
  writer->indent--;
  tune_writer_line(writer, "}");
}

void tune_writer_cleanup(tune_writer *writer) {
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.canonicalization");
  tune_writer_line(writer, "  transform.apply_patterns.linalg.tiling_canonicalization");
  tune_writer_line(writer, "  transform.apply_patterns.scf.for_loop_canonicalization");
  tune_writer_line(writer, "} {apply_cse} : " OP);
}

void tune_writer_identity_order(size_t *order, size_t count) {
  for (size_t i = 0; i < count; i++)
    order[i] = i;
}

void tune_writer_match_op(tune_writer *writer, const char *result, const char *ops) {
  tune_writer_line(writer, "%s = transform.structured.match ops{[%s]} in %s : (" OP ") -> " OP,
                   result, ops, writer->func);
}

void tune_writer_fuse_into(tune_writer *writer, const char *result, const char *producer,
                           const char *loop, const char *new_loop) {
  tune_writer_line(writer, "%s, %s = transform.structured.fuse_into_containing_op %s into %s",
                   result, new_loop, producer, loop);
  tune_writer_line(writer, "  : (" OP ", " OP ") -> (" OP ", " OP ")");
}

void tune_writer_peel(tune_writer *writer, const char *loop) {
  tune_writer_line(writer, "transform.sequence %s : " OP " failures(suppress) {", loop);
  tune_writer_line(writer, "^bb0(%%edge: " OP "):");
  tune_writer_line(writer,
                   "  %%for = transform.cast %%edge : " OP " to !transform.op<\"scf.for\">");
  tune_writer_line(writer, "  %%even, %%odd = transform.loop.peel %%for");
  tune_writer_line(writer, "    : (!transform.op<\"scf.for\">) -> (" OP ", " OP ")");
  tune_writer_line(writer, "}");
}

// The factor cannot be a knob (upstream takes an attribute, and does nothing where it exceeds the
// trip count), so loops are halved until nothing is left.
void tune_writer_unroll_marked(tune_writer *writer, const char *mark) {
  for (int round = 0; round < 4; round++) {
    tune_writer_line(writer,
                     "%%%s_%d = transform.structured.match ops{[\"scf.for\"]} "
                     "attributes{tune.%s} in %s : (" OP ") -> " OP,
                     mark, round, mark, writer->func);
    tune_writer_line(writer, "transform.loop.unroll %%%s_%d {factor = 2 : i64} : " OP, mark, round);
  }
}

void tune_writer_apply_pass(tune_writer *writer, const char *pass, const char *result) {
  tune_writer_line(writer, "%s = transform.apply_registered_pass \"%s\" to %s : (" OP ") -> " OP,
                   result, pass, writer->func);
  writer->func = result;
}

void tune_writer_canonicalize(tune_writer *writer) {
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.canonicalization");
  tune_writer_line(writer, "} {apply_cse} : " OP);
}

void tune_writer_apply_pattern(tune_writer *writer, const char *pattern) {
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.%s", pattern);
  tune_writer_line(writer, "} : " OP);
}

void tune_writer_fold_unit_dims(tune_writer *writer) {
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices");
  tune_writer_line(writer, "  transform.apply_patterns.canonicalization");
  tune_writer_line(writer, "} {apply_cse} : " OP);
}
