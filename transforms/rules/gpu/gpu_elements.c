//===- gpu_elements.c - Elementwise ops, broadcasts and transposes on devices -===//
//
// One kernel for a chain of ops: an invocation has a tile of the result, `vector` elements along
// its contiguous loop and `rows` along another: where an input is contiguous along that other loop
// (a transpose), a tile is turned in registers.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/gpu/gpu_writer.h"

#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

#define WIDTH 4 // of a shader's vectors
#define MOST_NESTS 24

typedef struct plan {
  const tune_nest *root;
  size_t generic_count;
  size_t col, row; // loops of the root; the row may be TUNE_NO_LOOP
  bool is_turned;  // an input is contiguous along the row
} plan;

// The loop beside `col` that tiles go along: that of a transposed input, or the next one outwards.
static size_t find_row(const tune_nest *root, size_t col, bool *out_is_turned) {
  for (size_t o = 0; o < root->input_count; o++) {
    size_t contiguous = tune_operand_contiguous_loop(root, &root->operands[o]);
    if (contiguous != col && contiguous != TUNE_NO_LOOP &&
        tune_operand_coefficient(&root->operands[o], col)) {
      *out_is_turned = true;
      return contiguous;
    }
  }
  *out_is_turned = false;
  const tune_operand *out = &root->operands[root->input_count];
  for (size_t d = out->rank; d-- > 0;)
    for (size_t loop = 0; loop < root->loop_count; loop++)
      if (loop != col && root->extent[loop] > 1 && tune_operand_is_loop(out, d, loop))
        return loop;
  return TUNE_NO_LOOP;
}

static bool make_plan(const tune_structure *structure, plan *p) {
  *p = (plan){.row = TUNE_NO_LOOP};
  if (!structure->is_regular || structure->is_dynamic || structure->is_empty ||
      structure->nest_count > MOST_NESTS)
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (!tune_nest_is_elementwise(nest))
      return false;
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    if (p->root && p->root->is_returned)
      return false; // it has results of several ops
    p->generic_count++;
    p->root = nest;
  }
  if (!p->root || p->root->loop_count == 0 || p->root->use_count)
    return false;
  for (size_t o = 0; o < p->root->operand_count; o++)
    if (!tune_operand_is_projection(&p->root->operands[o]))
      return false;
  p->col = tune_operand_contiguous_loop(p->root, &p->root->operands[p->root->input_count]);
  if (p->col == TUNE_NO_LOOP)
    return false;
  p->row = find_row(p->root, p->col, &p->is_turned);
  return true;
}

static bool gpu_elements_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)machine;
  plan p;
  return make_plan(structure, &p);
}

// Parts of `extent` that vectors of four can be made of, if it has such.
static tune_value_set find_parts(int64_t extent, int64_t most) {
  tune_value_set parts = {0};
  for (int64_t part = 1; part <= most; part++)
    if (extent % part == 0 && (part % WIDTH == 0 || extent % WIDTH))
      tune_value_set_add(&parts, part);
  if (extent % WIDTH == 0)
    tune_value_set_add(&parts, 1);
  return parts;
}

static void write_knobs(const plan *p, const tune_machine *machine, tune_writer *w) {
  tune_value_set vectors = find_parts(p->root->extent[p->col], 16);
  int64_t vector = tune_value_set_at_most(&vectors, p->is_turned ? WIDTH : 2 * WIDTH), rows = 1;
  tune_writer_knob(w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &vectors, vector);
  if (p->row != TUNE_NO_LOOP) {
    tune_value_set parts = {0};
    for (int64_t part = 1; part <= 16; part++)
      if (p->root->extent[p->row] % part == 0)
        tune_value_set_add(&parts, part);
    rows = tune_value_set_at_most(&parts, p->is_turned ? WIDTH : 1);
    tune_writer_knob(w, "rows", "tile", TUNE_LEVEL_VECTOR, &parts, rows);
  }
  tune_gpu_write_group_knobs(machine, p->root->extent[p->col] / vector,
                             p->row == TUNE_NO_LOOP ? 1 : p->root->extent[p->row] / rows,
                             tune_gpu_subgroup(machine), 256, w);
}

static void write_grid(const tune_structure *structure, const plan *p, tune_writer *w) {
  char names[640] = "", sizes[256];
  size_t used = 0, generic = 0, order[TUNE_MAX_LOOPS];
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_GENERIC) {
      generic++;
      if (generic == p->generic_count)
        used += (size_t)snprintf(names + used, sizeof names - used, "%%root");
      else
        used += (size_t)snprintf(names + used, sizeof names - used, "%%part_%zu, ", generic);
    }
  tune_gpu_write_nests(structure, "%generics", names, w);
  tune_tiling tile = {{0}};
  tune_writer_identity_order(order, p->root->loop_count);
  for (size_t i = 0; i < p->root->loop_count; i++)
    tile.size[i] = i == p->col ? "%vector" : i == p->row ? "%rows" : "1";
  tune_writer_line(w,
                   "%%tile, %%grid = transform.structured.fuse %%root tile_sizes %s "
                   "{use_forall}",
                   tune_writer_sizes(sizes, sizeof sizes, &tile, order, p->root->loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM "%s) -> (" OP ", " OP ")",
                   p->row == TUNE_NO_LOOP ? "" : ", " PARAM);
  tune_gpu_write_groups("%grid", p->root->loop_count, w);
}

static void gpu_elements_write(const tune_structure *structure, const tune_machine *machine,
                               tune_writer *w) {
  plan p;
  if (!make_plan(structure, &p))
    return;
  tune_writer_begin_tensors(w, "rule 'gpu_elements': a tile of the result for each invocation");
  write_knobs(&p, machine, w);
  write_grid(structure, &p, w);
  tune_writer_cleanup(w);
  tune_gpu_write_vectors(w);
  tune_gpu_write_end(structure, machine, false, false, w);
}

const tune_rule tune_rule_gpu_elements = {
    .name = "gpu_elements",
    .summary = "elementwise ops, broadcasts and transposes on devices: one kernel",
    .kinds = TUNE_KINDS_GPU,
    .applies = gpu_elements_applies,
    .write = gpu_elements_write,
};
