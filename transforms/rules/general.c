//===- general.c - The space that every linalg op has ------------------------------===//
//
// Where no rule knows better, a task is lowered to loops as it is, or to affine loops
// that upstream's affine passes tile, unroll and jam, and unroll. Nothing is asked of
// shapes: dynamic and odd ones pass, and the decisions are options of passes.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/rule.h"

#include <stdio.h>

#define OP "!transform.any_op"

static bool general_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true;
}

static void write_pass(tune_writer *w, unsigned *step, const char *pass, const char *option) {
  const char *types = option ? ", !transform.param<i64>" : "";
  char options[96] = "";
  if (option)
    snprintf(options, sizeof options, " with options = { %s }", option);
  tune_writer_line(w, "%%loops_%u = transform.apply_registered_pass \"%s\"%s to %%loops_%u",
                   *step + 1, pass, options, *step);
  tune_writer_line(w, "  : (" OP "%s) -> " OP, types);
  ++*step;
}

// Linalg on buffers to affine loops, with the passes that work on them.
static void write_affine(tune_writer *w) {
  tune_value_set tiles = {5, {1, 8, 16, 32, 64}}, jam = {4, {1, 2, 4, 8}},
                 unroll = {4, {1, 2, 4, 8}};
  tune_writer_knob(w, "affine_tile", "tile", TUNE_LEVEL_LOOP, &tiles, 32);
  tune_writer_knob(w, "affine_jam", "unroll", TUNE_LEVEL_LOOP, &jam, 1);
  tune_writer_knob(w, "affine_unroll", "unroll", TUNE_LEVEL_LOOP, &unroll, 4);
  unsigned step = 0;
  tune_writer_line(w, "%%loops_0 = transform.structured.match ops{[\"func.func\"]} in %%root");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  write_pass(w, &step, "convert-linalg-to-affine-loops", NULL);
  write_pass(w, &step, "affine-loop-tile", "\"tile-size\" = %affine_tile");
  write_pass(w, &step, "affine-loop-unroll-jam", "\"unroll-jam-factor\" = %affine_jam");
  write_pass(w, &step, "affine-scalrep", NULL);
  write_pass(w, &step, "affine-loop-unroll", "\"unroll-factor\" = %affine_unroll");
  write_pass(w, &step, "affine-loop-invariant-code-motion", NULL);
}

static void general_write(const tune_structure *structure, const tune_machine *machine,
                          tune_writer *w) {
  size_t math = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    math += structure->nests[n].math_op_count;
  tune_writer_begin_tensors(w, "rule 'general': loops, or affine loops and their passes");
  tune_writer_end_tensors(w);
  tune_writer_begin_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, math > 0);
  tune_writer_line(w, "%%root = transform.get_parent_op %%func {op_name = \"builtin.module\"}");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_begin_alternatives(w, NULL, "loops", TUNE_LEVEL_LOOP, "\"plain\", \"affine\"", 0, 0);
  tune_writer_next_alternative(w, NULL, 0);
  write_affine(w);
  tune_writer_end_alternatives(w, NULL, 0);
  tune_writer_end_buffers(w);
  tune_writer_main(w);
}

const tune_rule tune_rule_general = {
    .name = "general",
    .summary = "any linalg op: loops, or affine loops with tiling, unroll-and-jam and unrolling",
    .applies = general_applies,
    .write = general_write,
};
