//===- general.c - The space that every linalg op has ------------------------===//
//
// Where no rule knows better, each op becomes loops of vectors, as its operands lie
// (transforms/lower/cpu/nests), or loops as they are, or affine loops that upstream's affine
// passes tile, unroll and jam, and unroll, or that its super-vectorizer makes vectors of. Nothing
// is asked of shapes: dynamic and odd ones pass, and the decisions are marks on ops and options of
// passes. For several threads the outermost parallel loop of each op is divided among them.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/line_products.h"
#include "transforms/rules/layouts.h"
#include "transforms/rules/reduction/general_rows.h"
#include "transforms/rules/rule.h"

#include <stdio.h>

#define OP "!transform.any_op"

static bool general_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true;
}

// Each step's handle, "%loops_3" say, is used up by the next.
static void write_pass(tune_writer *w, const char *prefix, unsigned *step, const char *pass,
                       const char *option, bool is_param) {
  char options[96] = "";
  if (option)
    snprintf(options, sizeof options, " with options = { %s }", option);
  tune_writer_line(w, "%%%s_%u = transform.apply_registered_pass \"%s\"%s to %%%s_%u", prefix,
                   *step + 1, pass, options, prefix, *step);
  tune_writer_line(w, "  : (" OP "%s) -> " OP, is_param ? ", !transform.param<i64>" : "");
  ++*step;
}

static void write_affine_loops(tune_writer *w, const char *prefix, unsigned *step) {
  tune_writer_line(w, "%%%s_0 = transform.merge_handles %s : " OP, prefix, w->func);
  write_pass(w, prefix, step, "convert-linalg-to-affine-loops", NULL, false);
}

// Affine loops, with the passes that work on them.
static void write_affine(tune_writer *w) {
  tune_value_set tiles = {5, {1, 8, 16, 32, 64}}, jam = {4, {1, 2, 4, 8}},
                 unroll = {4, {1, 2, 4, 8}};
  tune_writer_knob(w, "affine_tile", "tile", TUNE_LEVEL_LOOP, &tiles, 32);
  tune_writer_knob(w, "affine_jam", "unroll", TUNE_LEVEL_LOOP, &jam, 1);
  tune_writer_knob(w, "affine_unroll", "unroll", TUNE_LEVEL_LOOP, &unroll, 4);
  unsigned step = 0;
  write_affine_loops(w, "loops", &step);
  write_pass(w, "loops", &step, "affine-loop-tile", "\"tile-size\" = %affine_tile", true);
  write_pass(w, "loops", &step, "affine-loop-unroll-jam", "\"unroll-jam-factor\" = %affine_jam",
             true);
  write_pass(w, "loops", &step, "affine-scalrep", NULL, false);
  write_pass(w, "loops", &step, "affine-loop-unroll", "\"unroll-factor\" = %affine_unroll", true);
  write_pass(w, "loops", &step, "affine-loop-invariant-code-motion", NULL, false);
}

// Affine loops whose iterations become lanes. (The size of a vector is a list upstream, which no
// param can be, so it is no knob. Sums over the innermost loop stay scalar.)
static void write_super_vectors(tune_writer *w, int64_t lanes) {
  unsigned step = 0;
  char option[64];
  snprintf(option, sizeof option, "\"virtual-vector-size\" = [%lld : i64]", (long long)lanes);
  write_affine_loops(w, "lanes", &step);
  write_pass(w, "lanes", &step, "affine-super-vectorize", option, false);
  char func[32];
  snprintf(func, sizeof func, "%%lanes_%u", step);
  const char *kept = w->func;
  w->func = func;
  tune_writer_lower_vectors(w);
  w->func = kept;
}

// Loops of vectors, as the operands of each op lie (transforms/lower/cpu/nests). The knobs are
// those of all ops; 0 is what each needs by itself.
static void write_nests(const tune_machine *machine, tune_writer *w) {
  tune_value_set loops = {3, {0, 1, 2}}, vectors = {5, {0, 1, 2, 4, 8}},
                 rows = {5, {0, 1, 2, 4, 6}};
  tune_writer_knob(w, "nest_loop", NULL, TUNE_LEVEL_VECTOR, &loops, 0);
  tune_writer_knob(w, "nest_vectors", NULL, TUNE_LEVEL_VECTOR, &vectors, 0);
  tune_writer_knob(w, "nest_rows", NULL, TUNE_LEVEL_VECTOR, &rows, 0);
  // What is computed at once has its results in registers.
  tune_writer_constraint(w, "results fit the registers", "nest_vectors * nest_rows <= %u",
                         machine->vector_registers * 3 / 4);
  tune_writer_line(w, "%%nest_bits = transform.param.constant %u : i64 -> !transform.param<i64>",
                   machine->vector_bits);
  tune_writer_line(w,
                   "%%nest_registers = transform.param.constant %u : i64 -> "
                   "!transform.param<i64>",
                   machine->vector_registers);
  tune_writer_match_op(w, "%nests", "\"linalg.generic\"");
  static const char *const marks[] = {"bits", "registers", "loop", "vectors", "rows"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    tune_writer_line(w,
                     "transform.annotate %%nests \"tune.nest.%s\" = %%nest_%s : " OP
                     ", !transform.param<i64>",
                     marks[i], marks[i]);
}

// The outermost parallel loop, or the longest one: nest->loop_count where there is none.
static size_t find_divided(const tune_nest *nest, bool is_longest) {
  size_t found = nest->loop_count;
  for (size_t loop = 0; loop < nest->loop_count; loop++)
    if (!nest->is_reduction[loop] && nest->extent[loop] != 1 &&
        (found == nest->loop_count || (is_longest && nest->extent[loop] > nest->extent[found])))
      found = loop;
  return found;
}

// Divides the outermost parallel loop of each op among the threads; of products of lines the
// longest, since of few rows each thread would read all weights.
static void write_parallel(const tune_structure *structure, const tune_machine *machine,
                           tune_writer *w) {
  size_t generics = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    generics += structure->nests[n].kind == TUNE_NEST_GENERIC;
  if (generics == 0)
    return;
  tune_value_set shares = {0};
  for (int64_t each = 1; each <= 8; each *= 2)
    tune_value_set_add(&shares, each * (int64_t)machine->threads);
  tune_writer_knob(w, "shares", "parallel", TUNE_LEVEL_LOOP, &shares, machine->threads);
  tune_writer_line(w,
                   "%%generics = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t g = 0; g < generics; g++)
    tune_string_builder_appendf(&names, "%s%%op_%zu", g ? ", " : "", g);
  char types[2048];
  bool is_of_lines = tune_line_products_are_best(structure, machine);
  if (generics > 1)
    tune_writer_line(w, "%s = transform.split_handle %%generics : (" OP ") -> (%s)",
                     names.text ? names.text : "",
                     tune_writer_types(types, sizeof types, generics));
  else
    tune_writer_line(w, "%%op_0 = transform.merge_handles %%generics : " OP);
  w->text.failed |= names.failed;
  tune_string_builder_deinit(&names);
  for (size_t n = 0, g = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    size_t outer = find_divided(nest, is_of_lines);
    if (outer < nest->loop_count && tune_nest_runs_forward(nest)) {
      char counts[128] = "";
      size_t used = 0;
      for (size_t i = 0; i < nest->loop_count && used < sizeof counts; i++)
        used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%s", i ? ", " : "",
                                 i == outer ? "%shares" : "0");
      tune_writer_line(w,
                       "%%part_%zu, %%team_%zu = transform.structured.tile_using_forall %%op_%zu "
                       "num_threads [%s]",
                       g, g, g, counts);
      tune_writer_line(w, "  : (" OP ", !transform.param<i64>) -> (" OP ", " OP ")");
    }
    g++;
  }
}

// How many of the widest elements fill a vector.
static int64_t count_lanes(const tune_structure *structure, const tune_machine *machine) {
  unsigned bits = 8;
  for (size_t n = 0; n < structure->nest_count; n++)
    for (size_t o = 0; o < structure->nests[n].operand_count; o++)
      if (structure->nests[n].operands[o].bits > bits)
        bits = structure->nests[n].operands[o].bits;
  return machine->vector_bits / bits;
}

// Whether upstream's super-vectorizer gets it right: it takes a stride for contiguous, and a sum of
// one element for parallel.
static bool may_super_vectorize(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->has_index || nest->kind == TUNE_NEST_NAMED)
      return false;
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      if (nest->is_reduction[loop] && nest->extent[loop] == 1)
        return false;
    for (size_t o = 0; o < nest->operand_count; o++)
      for (size_t i = 0; i < nest->operands[o].rank; i++) {
        const tune_index *index = &nest->operands[o].index[i];
        for (size_t loop = 0; loop < nest->loop_count; loop++)
          if (!index->is_linear || index->coefficient[loop] < 0 || index->coefficient[loop] > 1)
            return false;
      }
  }
  return !structure->is_empty && !structure->has_bits;
}

static void general_write(const tune_structure *structure, const tune_machine *machine,
                          tune_writer *w) {
  size_t math = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    math += structure->nests[n].math_op_count;
  tune_writer_begin_tensors(w, "rule 'general': loops, or affine loops and their passes");
  bool is_parallel = machine->threads > 1;
  tune_general_rows rows;
  if (tune_general_rows_make(structure, &rows)) {
    // Row by row lines of the other factor are read anew for each, which blocks of rows share.
    size_t by_rows = tune_line_products_are_best(structure, machine) ? 0 : 1;
    tune_writer_begin_alternatives(w, NULL, "chain", TUNE_LEVEL_LINALG, "\"apart\", \"by_rows\"",
                                   by_rows, 0);
    if (is_parallel)
      write_parallel(structure, machine, w);
    tune_writer_next_alternative(w, NULL, 0);
    tune_general_rows_write(&rows, machine, w);
    tune_writer_end_alternatives(w, NULL, 0);
    w->stack_bytes = 65536;
  } else if (is_parallel && !structure->is_empty) {
    write_parallel(structure, machine, w);
  }
  // What a layout has made vectors of: tensors that its loops carry, and memory that is copied onto
  // itself, would hide that it is made of constants alone.
  if (structure->preparation.layout.op_count > 0)
    tune_writer_vector_cleanup(w, false);
  tune_writer_end_tensors(w);
  tune_writer_begin_buffers(w);
  if (structure->preparation.layout.op_count > 0)
    tune_writer_canonicalize(w);
  tune_writer_place_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, math > 0);
  // Affine loops inside of parallel ones have bounds that upstream does not take for symbols.
  int64_t lanes = count_lanes(structure, machine);
  bool has_lanes = !is_parallel && lanes > 1 && may_super_vectorize(structure);
  tune_writer_begin_alternatives(w, NULL, "loops", TUNE_LEVEL_LOOP,
                                 has_lanes     ? "\"nests\", \"plain\", \"affine\", "
                                                 "\"super_vectors\""
                                 : is_parallel ? "\"nests\", \"plain\""
                                               : "\"nests\", \"plain\", \"affine\"",
                                 0, 0);
  write_nests(machine, w);
  tune_writer_next_alternative(w, NULL, 0);
  if (!is_parallel) {
    tune_writer_next_alternative(w, NULL, 0);
    write_affine(w);
  }
  if (has_lanes) {
    tune_writer_next_alternative(w, NULL, 0);
    write_super_vectors(w, lanes);
  }
  tune_writer_end_alternatives(w, NULL, 0);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

// Whether the task is one sum across lines that are read once, as they lie: a vector times a matrix
// whose rows are on end, or sums of columns. Nests go over a few lines at once, whole, whatever
// they are divisible by. Narrow floats are rounded in between there, if they leave the registers.
static bool sums_columns(const tune_structure *structure, const tune_machine *machine) {
  enum { MANY_VECTORS = 16, MANY_LINES = 16 }; // fewer are as fast, or faster, by 'reduction'
  const tune_nest *sum = NULL;
  for (size_t n = 0; n < structure->nest_count; n++) {
    if (structure->nests[n].kind == TUNE_NEST_FILL)
      continue;
    if (sum || structure->nests[n].kind != TUNE_NEST_GENERIC)
      return false;
    sum = &structure->nests[n];
  }
  if (!sum || sum->loop_count != 2 || sum->reduction_count != 1 || !sum->combines ||
      sum->operand_count != sum->input_count + 1)
    return false;
  size_t column = sum->is_reduction[0] ? 1 : 0;
  if (sum->extent[column] < (int64_t)(MANY_VECTORS * (machine->vector_bits / 32)) ||
      sum->extent[1 - column] < MANY_LINES)
    return false;
  const tune_operand *result = &sum->operands[sum->input_count];
  bool has_lines = tune_operand_register_bits(result) == result->bits;
  for (size_t o = 0; o < sum->input_count; o++)
    if (tune_operand_coefficient(&sum->operands[o], column) != 0)
      has_lines &= tune_operand_contiguous_loop(sum, &sum->operands[o]) == column;
  return has_lines && tune_operand_contiguous_loop(sum, result) == column;
}

static bool general_leads(const tune_structure *structure, const tune_machine *machine) {
  return sums_columns(structure, machine) || tune_line_products_are_best(structure, machine);
}

const tune_rule tune_rule_general = {
    .name = "general",
    .summary = "any linalg op: loops of vectors as its operands lie, plain loops, or affine loops",
    .kinds = TUNE_KINDS_CPU,
    .applies = general_applies,
    .goes_first = tune_layouts_is_best_as_it_lies,
    .leads = general_leads,
    .write = general_write,
};
