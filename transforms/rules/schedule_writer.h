//===- schedule_writer.h - Writing transform scripts as text -----------------===//
//
// Rules write their space as the text of an upstream transform module (the form that
// --tune-print-space shows, that is searched, and that a user could have written). This
// is the vocabulary they share: knobs, matches by iterator types, tilings, the stages
// every schedule ends with. Text, because it is what is kept, printed and replayed.
//
// A writer never fails midway; memory that ran out, and a constraint that is none, are reported by
// tune_writer_finish.
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_SCHEDULE_WRITER_H
#define TUNE_TRANSFORMS_RULES_SCHEDULE_WRITER_H

#include "support/string_builder.h"
#include "transforms/structure/structure.h"
#include "tuning/space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_MAX_DOMAIN 32

// The values of a knob while a rule gathers them: distinct, ascending.
typedef struct tune_value_set {
  size_t count;
  int64_t values[TUNE_MAX_DOMAIN];
} tune_value_set;

// Adds `value` in order, unless it is there or the set is full.
void tune_value_set_add(tune_value_set *set, int64_t value);
// The largest value <= `limit`, or the smallest there is.
int64_t tune_value_set_at_most(const tune_value_set *set, int64_t limit);
// How many of `extent` elements a block has that is transposed in registers: the largest power of
// two, up to 16, that divides them. A block that is there in part has a mask in each of its
// vectors, which without AVX-512 costs five times what it does with whole ones.
int64_t tune_turned_side(int64_t extent);
// Adds the divisors of `extent` within [low, high] that are multiples of `step`.
void tune_value_set_add_divisors(tune_value_set *set, int64_t extent, int64_t low, int64_t high,
                                 int64_t step);

// A part of a text.
typedef struct tune_span {
  size_t begin, end;
} tune_span;

typedef struct tune_writer {
  tune_string_builder text;
  tune_span comment;     // of the text: what the whole is
  tune_span bodies[2];   // what is within @tune_tensors and within @tune_buffers
  size_t body_count;     // of which so many have ended
  tune_span preparation; // @tune_prepare
  const char *form; // knobs, alternatives and the preparation are called <form>_…; "" at first
  unsigned indent;  // levels of two spaces
  const char *knob_prefix; // of the names that knobs have in the space; "" at first
  const char *func; // the handle of the task's function, "%func" at first; a pass makes a new one
  int64_t stack_bytes; // default of the knob of tune_writer_place_buffers; 0 at first
  bool keeps_loops;    // default of `llvm_unroll` is 0; false at first
  bool keeps_halves;   // default of `llvm_vector_width` is 256 at most; false at first
  tune_space *knobs;   // that constraints may name, as their values are called
  tune_status failure; // the first, until tune_writer_finish
} tune_writer;

void tune_writer_init(tune_writer *writer);
void tune_writer_deinit(tune_writer *writer);
// The text, owned by the caller. INTERNAL with the rule's words where a constraint is wrong.
tune_status tune_writer_finish(tune_writer *writer, char **out_text);

// One line, indented.
void tune_writer_line(tune_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// `%name = transform.tune.knob<"<knob_prefix>name"> options = #tune.<kind><[...]> ...`. The default
// is put into the domain if it is not there. `kind` NULL writes a plain array.
void tune_writer_knob(tune_writer *writer, const char *name, const char *kind, tune_level level,
                      const tune_value_set *domain, int64_t default_value);

// What must hold between knobs that are there, in the language of tuning/space/constraint.h:
// "kc * nr * %d <= %d", with %% for the rest of a division. It becomes a
// `transform.smt.constrain_params` over the knobs in the order of their names in it, and reads back
// as the same expression (constraint_writer.c says what does not). Divisors are above 0. `why` is
// told to users.
void tune_writer_constraint(tune_writer *writer, const char *why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The register tile of the knobs `mr` x `nr` columns in vectors of `lanes`, a row of B and an
// element of A are no more than `registers`.
void tune_writer_register_constraint(tune_writer *writer, int64_t lanes, unsigned registers,
                                     const char *mr, const char *nr);

// Opens `[results =] transform.tune.alternatives<"name">` with a label per region and the count of
// op handles that each region yields; then for each region: write its ops,
// tune_writer_next_alternative; at the end tune_writer_end_alternatives.
void tune_writer_begin_alternatives(tune_writer *writer, const char *results, const char *name,
                                    tune_level level, const char *labels, int64_t default_index,
                                    size_t handle_count);
// The same, of which some pay only in code that is split in two
// (transforms/lower/cpu/weights/prepack.h); where it is not, `unsplit_index` is taken whatever is
// chosen.
void tune_writer_begin_split_alternatives(tune_writer *writer, const char *results,
                                          const char *name, tune_level level, const char *labels,
                                          int64_t default_index, int64_t unsplit_index,
                                          size_t handle_count);
// Yields `handles` ("%a, %b"; NULL for none) and opens the next region.
void tune_writer_next_alternative(tune_writer *writer, const char *handles, size_t handle_count);
void tune_writer_end_alternatives(tune_writer *writer, const char *handles, size_t handle_count);

// "!transform.any_op, !transform.any_op, ..." into `buffer`; returns it.
const char *tune_writer_types(char *buffer, size_t size, size_t count);
// "[#linalg.iterator_type<parallel>, ...]" of `nest`'s loops in the order `loops` (NULL: all).
const char *tune_writer_iterators(char *buffer, size_t size, const tune_nest *nest,
                                  const size_t *loops, size_t count);

// `%result = match linalg.generic of these iterator types in %scope`.
void tune_writer_match_generic(tune_writer *writer, const char *result, const tune_nest *nest,
                               const size_t *loops, size_t count, const char *scope);

// `%result = match ops{[ops]} in %func`; `ops` are names in quotes, with commas between.
void tune_writer_match_op(tune_writer *writer, const char *result, const char *ops);

// order[i] = i.
void tune_writer_identity_order(size_t *order, size_t count);

// A tile size per loop: text such as "%mr", "0" or "1".
typedef struct tune_tiling {
  const char *size[TUNE_MAX_LOOPS];
} tune_tiling;

// `%result, %loops:N = tile_using_for %target tile_sizes [...]`; N is how many of the sizes of the
// `count` loops listed in `order` are not "0". `interchange` may be NULL.
void tune_writer_tile(tune_writer *writer, const char *result, const char *loops,
                      const char *target, const tune_tiling *tiling, const size_t *order,
                      size_t count, const char *interchange);
// "[%mr, %nr, 0]" for the loops listed in `order`.
const char *tune_writer_sizes(char *buffer, size_t size, const tune_tiling *tiling,
                              const size_t *order, size_t count);

// Computes what `producer` makes within `loop`, which is `new_loop` from then on.
void tune_writer_fuse_into(tune_writer *writer, const char *result, const char *producer,
                           const char *loop, const char *new_loop);
// Splits the last iterations of a loop off, if its bound is not a multiple of its step.
void tune_writer_peel(tune_writer *writer, const char *loop);

// Vectorizes `target`, with `sizes` ("[...]"; NULL: as it is). Where that cannot be done the op
// stays and becomes loops: an epilogue that resists costs speed, not the candidate.
void tune_writer_try_vectorize(tune_writer *writer, const char *target, const char *sizes);
// The same for each op of the handle `targets`, as they are.
void tune_writer_vectorize_each(tune_writer *writer, const char *targets);

// What follows is done for each op of the handle `targets`, called `target`. Needed wherever sizes
// are knobs and there may be several ops: upstream wants as many values as ops.
void tune_writer_begin_foreach(tune_writer *writer, const char *targets, const char *target);
void tune_writer_end_foreach(tune_writer *writer);

// What follows is done within the function, whose handle is `scope` there, and handles that it
// makes end with it. Needed ahead of PDL patterns, which replace ops without the knowledge of the
// handles to them: stock mlir-opt looks at those later.
void tune_writer_begin_scope(tune_writer *writer, const char *scope);
void tune_writer_end_scope(tune_writer *writer);

// Canonicalization, tiling canonicalization and CSE on %func.
void tune_writer_cleanup(tune_writer *writer);
// Applies the pass `pass` to the function, whose handle is `result` from then on.
void tune_writer_apply_pass(tune_writer *writer, const char *pass, const char *result);
// Canonicalization and CSE on %func.
void tune_writer_canonicalize(tune_writer *writer);
// One of upstream's sets of patterns on %func, as "tensor.fold_tensor_empty", and nothing else.
void tune_writer_apply_pattern(tune_writer *writer, const char *pattern);
// Unrolls the loops marked "tune.<mark>", of at most 16 iterations, to the end.
void tune_writer_unroll_marked(tune_writer *writer, const char *mark);
// Drops unit dimensions by rank-reducing slices.
void tune_writer_fold_unit_dims(tune_writer *writer);

// Opens the module and @tune_tensors(%func), prepares, and binds %func to the prepared function.
void tune_writer_begin_tensors(tune_writer *writer, const char *comment);
// The same without preparing, which may fail as well: for what is done where all else fails.
void tune_writer_begin_unprepared(tune_writer *writer, const char *comment);
// What follows vectorization on tensors: contractions recognised, transfers folded into slices,
// loop-invariant accumulators hoisted into registers.
void tune_writer_vector_cleanup(tune_writer *writer, bool widens);
// Tensors that are made to be written into another one are not, and the sequence ends.
void tune_writer_end_tensors(tune_writer *writer);
// Ends a sequence, and that alone.
void tune_writer_end_sequence(tune_writer *writer);

// @tune_buffers(%func): after bufferization. Contractions and transfers become instructions.
void tune_writer_begin_buffers(tune_writer *writer);
void tune_writer_lower_vectors(tune_writer *writer);
// Temporaries of at most so many bytes as a knob says go to the stack. Not before vectors are
// lowered: a pass verifies, and bufferized masks do not hold up to that. writer->func is used up
// and set to another handle.
void tune_writer_place_buffers(tune_writer *writer);
// Where a product widens what it reads: a knob, whether that is done once for all its reads
// (transforms/lower/cpu/wide_operands.h). By default it is.
void tune_writer_wide_operands(tune_writer *writer, const tune_structure *structure);
// Where `operand` is constant, writes the knob `weights_ahead`: whether parts of it that are made
// in loops are made ahead of all calls (lower/cpu/weights/weights_ahead.h). By default they are.
void tune_writer_weights_ahead(tune_writer *writer, const tune_operand *operand);
// Writes the knob `panel_ahead`: whether the next panel of an operand that is packed ahead is read
// while the present one is multiplied (lower/cpu/weights/panel_ahead.h).
void tune_writer_panel_ahead(tune_writer *writer, int64_t default_value);
// Knobs of the backend, shared by all rules: vector width, unrolling, optimisation level, and with
// `has_math` how functions such as exp are computed.
void tune_writer_target_knobs(tune_writer *writer, unsigned vector_bits, bool has_math);
// The same for kernels in SPIR-V: what its optimiser does.
void tune_writer_spirv_knobs(tune_writer *writer);
void tune_writer_end_buffers(tune_writer *writer);

// @tune_prepare as for `structure`, @__transform_main, and the end of the module.
void tune_writer_main(tune_writer *writer, const tune_structure *structure);
// The same without @tune_prepare.
void tune_writer_end_module(tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_SCHEDULE_WRITER_H
