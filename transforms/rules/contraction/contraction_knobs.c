//===- contraction_knobs.c - Knobs of the tiles, and what holds between them -===//

#include "transforms/rules/contraction/contraction_steps.h"

#include <inttypes.h>
#include <stdio.h>

void tune_contraction_write_tile_knobs(const tune_contraction_plan *plan,
                                       const tune_machine *machine, tune_writer *w) {
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &plan->mr, plan->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &plan->nr, plan->nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &plan->kr, plan->kr_default);
  if (plan->kc.count)
    tune_writer_knob(w, "kc", "tile", TUNE_LEVEL_LINALG, &plan->kc, plan->kc_default);

  tune_writer_register_constraint(w, plan->lanes, machine->vector_registers, "mr", "nr");
  char lines[1024];
  snprintf(lines, sizeof lines,
           "%%lanes = smt.int.constant %u\n"
           "%%more = smt.int.constant %u\n"
           "%%most = smt.int.constant 512\n"
           "%%filled = smt.int.add %%nr_, %%more\n"
           "%%vectors = smt.int.div %%filled, %%lanes\n"
           "%%body = smt.int.mul %%mr_, %%vectors, %%kr_\n"
           "%%fits = smt.int.cmp le %%body, %%most\n"
           "smt.assert %%fits",
           plan->lanes, plan->lanes - 1);
  tune_writer_constraint(w, "bodies of more than 512 multiply-adds take seconds to compile", 3,
                         (const char *const[]){"mr", "nr", "kr"}, lines);
  if (plan->kc.count) {
    tune_writer_constraint(w, "a part of the depth is made of whole unrolled steps", 2,
                           (const char *const[]){"kc", "kr"},
                           "%zero = smt.int.constant 0\n"
                           "%rest = smt.int.mod %kc_, %kr_\n"
                           "%even = smt.eq %rest, %zero : !smt.int\n"
                           "smt.assert %even");
  }
}

void tune_contraction_write_knobs(const tune_contraction_plan *plan, const tune_machine *machine,
                                  tune_writer *w) {
  tune_writer_knob(w, "mc", "tile", TUNE_LEVEL_LINALG, &plan->mc, plan->mc_default);
  tune_writer_knob(w, "nc", "tile", TUNE_LEVEL_LINALG, &plan->nc, plan->nc_default);
  tune_contraction_write_tile_knobs(plan, machine, w);
  char lines[256];
  if (plan->mc.count > 1) {
    snprintf(lines, sizeof lines,
             "%%zero = smt.int.constant 0\n"
             "%%rows = smt.int.constant %" PRId64 "\n"
             "%%rest = smt.int.mod %%mc_, %%mr_\n"
             "%%whole = smt.eq %%mc_, %%rows : !smt.int\n"
             "%%even = smt.eq %%rest, %%zero : !smt.int\n"
             "%%fits = smt.or %%whole, %%even\n"
             "smt.assert %%fits",
             plan->rows);
    tune_writer_constraint(w, "a tile of mc rows is made of whole register tiles", 2,
                           (const char *const[]){"mc", "mr"}, lines);
  }
}

void tune_contraction_write_divisor(const char *knob, int64_t extent, const char *why,
                                    tune_writer *w) {
  char lines[256];
  snprintf(lines, sizeof lines,
           "%%zero = smt.int.constant 0\n"
           "%%extent = smt.int.constant %" PRId64 "\n"
           "%%rest = smt.int.mod %%extent, %%%s_\n"
           "%%even = smt.eq %%rest, %%zero : !smt.int\n"
           "smt.assert %%even",
           extent, knob);
  tune_writer_constraint(w, why, 1, &knob, lines);
}
