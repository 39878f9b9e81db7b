//===- gpu_dot.c - Products of bytes by dot products of words on devices -----===//

#include "transforms/rules/gpu/gpu_dot.h"
#include "transforms/rules/gpu/gpu_writer.h"

#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define GENERIC "!transform.op<\"linalg.generic\">"
#define PACK "!transform.op<\"linalg.pack\">"

bool tune_gpu_dot_fits(const tune_contraction_plan *loops, const tune_machine *machine) {
  const tune_nest *anchor = loops->anchor;
  const tune_operand *operands = anchor->operands;
  if (machine->kind != TUNE_KIND_VULKAN || !machine->gpu.has_int8_dot || anchor->input_count != 2 ||
      strcmp(operands[0].type, "i8") != 0 || strcmp(operands[1].type, "i8") != 0 ||
      strcmp(operands[2].type, "i32") != 0)
    return false;
  // Groups that are filled up are of plain products.
  return loops->depths >= TUNE_GPU_DOT_GROUP &&
         (loops->depths % TUNE_GPU_DOT_GROUP == 0 ||
          (!loops->has_window && !tune_structure_has_pad(loops->structure)));
}

bool tune_gpu_dot_is_fast(const tune_contraction_plan *loops, const tune_machine *machine) {
  const bool *is_unsigned = loops->anchor->zero_extends;
  return is_unsigned[0] != is_unsigned[1] ? machine->gpu.is_mixed_dot_fast
         : is_unsigned[0]                 ? machine->gpu.is_unsigned_dot_fast
                                          : machine->gpu.is_signed_dot_fast;
}

static bool is_in_place(const tune_contraction_plan *loops, size_t operand) {
  return tune_operand_contiguous_loop(loops->anchor, &loops->anchor->operands[operand]) ==
         loops->depth;
}

// Copies four neighbours of four steps of the depth, turned in registers.
static void write_copy(const tune_operand *operand, size_t number, tune_writer *w) {
  char op[24], grid[24], sizes[256];
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS], rank = operand->rank + 1;
  tune_writer_identity_order(order, rank);
  for (size_t i = 0; i < rank; i++)
    tile.size[i] = "1";
  tile.size[rank - 1] = "0";
  if (operand->shape[operand->rank - 1] % TUNE_GPU_DOT_GROUP == 0)
    tile.size[rank - 2] = "4";
  snprintf(op, sizeof op, "%%turn_%zu", number);
  snprintf(grid, sizeof grid, "%%turned_%zu", number);
  tune_writer_line(w, "%%parts_%zu:3 = transform.structured.lower_pack %%pack_%zu", number, number);
  tune_writer_line(w, "  : (" PACK ") -> (!transform.op<\"tensor.pad\">, "
                      "!transform.op<\"tensor.expand_shape\">, "
                      "!transform.op<\"linalg.transpose\">)");
  tune_writer_line(w, "%s = transform.structured.generalize %%parts_%zu#2", op, number);
  tune_writer_line(w, "  : (!transform.op<\"linalg.transpose\">) -> " OP);
  tune_writer_line(w,
                   "%%turn_tile_%zu, %s = transform.structured.tile_using_forall %s tile_sizes %s",
                   number, grid, op, tune_writer_sizes(sizes, sizeof sizes, &tile, order, rank));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
  tune_writer_begin_foreach(w, grid, "%turned");
  tune_gpu_write_mapping("%turned", rank - 1, w);
  tune_writer_end_foreach(w);
}

void tune_gpu_write_dot(const tune_contraction_plan *loops, const char *product, const char *packed,
                        tune_writer *w) {
  const tune_nest *anchor = loops->anchor;
  tune_tiling groups = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256];
  tune_writer_identity_order(order, anchor->loop_count);
  groups.size[loops->depth] = "4";
  tune_writer_line(w, "%%of_groups = transform.structured.pack %s packed_sizes = %s", product,
                   tune_writer_sizes(sizes, sizeof sizes, &groups, order, anchor->loop_count));
  tune_writer_line(w, "  : (" OP ") -> " GENERIC);
  for (size_t o = 0; o < 2; o++) {
    tune_writer_line(w, "%%pack_%zu = transform.get_producer_of_operand %%of_groups[%zu]", o, o);
    tune_writer_line(w, "  : (" GENERIC ") -> " PACK);
    if (is_in_place(loops, o))
      tune_writer_line(w, "%%whole_%zu = transform.cast %%pack_%zu : " PACK " to " OP, o, o);
    else
      write_copy(&anchor->operands[o], o, w);
  }
  tune_writer_line(w, "%s = transform.cast %%of_groups : " GENERIC " to " OP, packed);
  tune_writer_line(w, "%%dot = transform.param.constant 1 : i64 -> !transform.param<i64>");
  tune_writer_line(
      w, "transform.annotate %s \"tune.gpu.dot\" = %%dot : " OP ", !transform.param<i64>", w->func);
}

const char *tune_gpu_write_dot_tiles(const tune_contraction_plan *loops, const char *grid,
                                     tune_writer *w) {
  static const char *const PACKED[] = {"%tile_0", "%tile_1"},
                           *const WHOLE[] = {"%whole_0", "%whole_1"},
                           *const GRIDS[] = {"%packed_grid_0", "%packed_grid_1"};
  for (size_t o = 0; o < 2; o++)
    if (is_in_place(loops, o)) {
      tune_writer_fuse_into(w, PACKED[o], WHOLE[o], grid, GRIDS[o]);
      grid = GRIDS[o];
    }
  return grid;
}

void tune_gpu_write_dot_steps(const tune_contraction_plan *loops, const char *steps,
                              tune_writer *w) {
  static const char *const TILES[] = {"%tile_0", "%tile_1"},
                           *const STEPS[] = {"%step_0", "%step_1"},
                           *const LOOPS[] = {"%packed_steps_0", "%packed_steps_1"};
  for (size_t o = 0; o < 2; o++)
    if (is_in_place(loops, o)) {
      tune_writer_fuse_into(w, STEPS[o], TILES[o], steps, LOOPS[o]);
      steps = LOOPS[o];
    }
}
