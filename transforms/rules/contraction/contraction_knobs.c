//===- contraction_knobs.c - Knobs of the tiles, and what holds between them -===//

#include "transforms/rules/contraction/contraction_steps.h"

#include <inttypes.h>

void tune_contraction_write_tile_knobs(const tune_contraction_plan *plan,
                                       const tune_machine *machine, tune_writer *w) {
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &plan->mr, plan->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &plan->nr, plan->nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &plan->kr, plan->kr_default);
  if (plan->kc.count)
    tune_writer_knob(w, "kc", "tile", TUNE_LEVEL_LINALG, &plan->kc, plan->kc_default);

  tune_writer_register_constraint(w, plan->lanes, machine->vector_registers, "mr", "nr");
  tune_writer_constraint(w, "bodies of more than 512 multiply-adds take seconds to compile",
                         "mr * ((nr + %u) / %u) * kr <= 512", plan->lanes - 1, plan->lanes);
  if (plan->kc.count) {
    tune_writer_constraint(w, "a part of the depth is made of whole unrolled steps",
                           "kc %% kr == 0");
  }
}

// Whether some tile of columns, but for one of all of them, is of no whole register tiles.
static bool has_odd_columns(const tune_contraction_plan *plan) {
  for (size_t i = 0; i < plan->nc.count; i++)
    for (size_t k = 0; k < plan->nr.count; k++)
      if (plan->nc.values[i] != plan->cols && plan->nc.values[i] % plan->nr.values[k])
        return true;
  return false;
}

void tune_contraction_write_knobs(const tune_contraction_plan *plan, const tune_machine *machine,
                                  tune_writer *w) {
  tune_writer_knob(w, "mc", "tile", TUNE_LEVEL_LINALG, &plan->mc, plan->mc_default);
  tune_writer_knob(w, "nc", "tile", TUNE_LEVEL_LINALG, &plan->nc, plan->nc_default);
  if (plan->lc.count)
    tune_writer_knob(w, "lc", "tile", TUNE_LEVEL_LINALG, &plan->lc, plan->lc_default);
  tune_contraction_write_tile_knobs(plan, machine, w);
  if (plan->mc.count > 1) {
    tune_writer_constraint(w, "a tile of mc rows is made of whole register tiles",
                           "mc == %" PRId64 " || mc %% mr == 0", plan->rows);
  }
  if (has_odd_columns(plan)) {
    tune_writer_constraint(w, "a tile of nc columns is made of whole register tiles",
                           "nc == %" PRId64 " || nc %% nr == 0", plan->cols);
  }
}

void tune_contraction_write_divisor(const char *knob, int64_t extent, const char *why,
                                    tune_writer *w) {
  tune_writer_constraint(w, why, "%" PRId64 " %% %s == 0", extent, knob);
}
