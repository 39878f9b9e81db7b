//===- contraction_kernel.c - The innermost loops become vectors -------------===//

#include "transforms/rules/contraction/contraction_steps.h"

#include <stdio.h>

#define OP "!transform.any_op"

// The loops row, col and depth in the order in which the anchor has them.
static size_t kernel_order(const tune_contraction_plan *plan, size_t *order) {
  size_t count = 0;
  for (size_t loop = 0; loop < plan->anchor->loop_count; loop++)
    if (loop == plan->row || loop == plan->col || loop == plan->depth)
      order[count++] = loop;
  return count;
}

// Binds %fills: what starts the accumulators.
static void match_fills(tune_writer *w) {
  tune_writer_line(w,
                   "%%fills = transform.structured.match ops{[\"linalg.fill\"]} "
                   "attributes{tune.init} in %s : (" OP ") -> " OP,
                   w->func);
}

// Vectorizes the elementwise ops over `loops` loops, as long as they are.
static void write_parallel_vectors(tune_writer *w, const char *name, size_t loops) {
  tune_nest plane = {.is_reduction = {false, false}};
  char targets[32];
  snprintf(targets, sizeof targets, "%%%ss", name);
  tune_writer_match_generic(w, targets, &plane, NULL, loops, w->func);
  tune_writer_vectorize_each(w, targets);
}

// The epilogue and what starts the accumulator, in vectors of the tile's columns: over the tile,
// or where it was the last of many loops and stood in rows, over a row.
static void write_planes(const tune_contraction_plan *plan, tune_writer *w, bool folds) {
  if (folds || plan->epilogue || (plan->init && !plan->starts_filled))
    write_parallel_vectors(w, "plane", 2);
  if (folds)
    write_parallel_vectors(w, "strip", 1);
}

void tune_contraction_write_kernel(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_nest *anchor = plan->anchor;
  size_t order[TUNE_MAX_LOOPS];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  if (plan->rest_count) {
    tune_tiling rest = {{0}};
    for (size_t i = 0; i < plan->rest_count; i++)
      rest.size[plan->rest[i]] = "1";
    tune_writer_match_generic(w, "%windows", anchor, NULL, anchor->loop_count, w->func);
    tune_writer_tile(w, "%window", "%window_loops", "%windows", &rest, order, anchor->loop_count,
                     NULL);
  }
  bool folds = anchor->loop_count > 3 || plan->root_loop_count > 3 ||
               (plan->epilogue && plan->root_loop_count > 2);
  if (folds) {
    // Only what is generic loses its unit dimensions, and only what lost them meets the kernel in
    // registers: a fill that keeps them is stored and loaded again.
    if (plan->starts_filled) {
      match_fills(w);
      tune_writer_line(w, "%%generic_fills = transform.structured.generalize %%fills : (" OP
                          ") -> " OP);
    }
    tune_writer_fold_unit_dims(w);
  }
  size_t kernel_loops = kernel_order(plan, order);
  tune_tiling depth = {{0}};
  depth.size[plan->depth] = "%kr";
  tune_writer_match_generic(w, "%tiles", anchor, order, kernel_loops, w->func);
  tune_writer_begin_foreach(w, "%tiles", "%one_tile");
  tune_writer_tile(w, "%step", "%step_loop", "%one_tile", &depth, order, kernel_loops, NULL);
  if (plan->strided_rows) {
    // Rows that are not neighbours in A: a one-row kernel, repeated for each row of the tile.
    tune_tiling row = {{0}};
    row.size[plan->row] = "1";
    tune_writer_tile(w, "%line", "%line_loop", "%step", &row, order, kernel_loops, NULL);
    tune_writer_line(w, "transform.annotate %%line_loop \"tune.unroll\" : " OP);
    tune_writer_end_foreach(w);
    tune_writer_cleanup(w);
    tune_writer_unroll_marked(w, "unroll");
    tune_writer_fold_unit_dims(w);
    size_t kept = 0;
    for (size_t i = 0; i < kernel_loops; i++)
      if (order[i] != plan->row)
        order[kept++] = order[i];
    kernel_loops = kept;
  } else {
    tune_writer_end_foreach(w);
    tune_writer_cleanup(w);
  }

  write_planes(plan, w, folds);
  tune_writer_match_generic(w, "%kernels", anchor, order, kernel_loops, w->func);
  // Upstream lowers a contraction to outer products only if its first loop is one of its first
  // operand; else to thousands of extracts and inserts.
  size_t first = anchor->is_reduction[order[0]] ? order[1] : order[0];
  if (kernel_loops == 3 && first != (plan->a == 0 ? plan->row : plan->col)) {
    tune_writer_line(w,
                     "%%turned = transform.structured.interchange %%kernels "
                     "iterator_interchange = %s : (" OP ") -> " OP,
                     anchor->is_reduction[order[0]]   ? "[0, 2, 1]"
                     : anchor->is_reduction[order[1]] ? "[2, 1, 0]"
                                                      : "[1, 0, 2]");
    tune_writer_line(w, "transform.structured.vectorize %%turned : " OP);
  } else {
    tune_writer_line(w, "transform.structured.vectorize %%kernels : " OP);
  }
  if (!folds && plan->starts_filled) {
    match_fills(w);
    tune_writer_vectorize_each(w, "%fills");
  }
  tune_writer_vector_cleanup(w, anchor->widens);
}
