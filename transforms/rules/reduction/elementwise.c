//===- elementwise.c - The space of elementwise ops, broadcasts and transposes -===//
//
// One op after preparation, or a few that are fused at the tile. The innermost loop of
// the output becomes vectors; where an input is contiguous along another loop, blocks
// of 16 x 16 are transposed in registers, if they come out even: the rule 'general' turns
// those that do not. What else does not divide is masked: masks cost little where the machine has
// registers for them. On others, where they are branches and lanes one by one, 'general' takes what
// would be masked: it takes 0.05 to 0.45 of the time (rows of 50 to 1001 f32, Zen 3).
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/streaming.h"
#include "transforms/rules/rule.h"

#include <stdio.h>

#define OP "!transform.any_op"

typedef struct plan {
  const tune_nest *root;
  size_t generic_count;
  size_t col;   // the loop that becomes vectors
  size_t cross; // the loop along which a transposed input is contiguous, or TUNE_NO_LOOP
  unsigned lanes;
  size_t math;
} plan;

// Whether blocks fill the loop.
static bool is_even(const tune_nest *nest, size_t loop) {
  return nest->extent[loop] != TUNE_DYNAMIC_EXTENT && nest->extent[loop] % 16 == 0;
}

// Whether rows are so long, and such, that masks are worth avoiding, where they are dear.
static bool is_masked_dearly(const plan *p, const tune_machine *machine) {
  enum { FEW_VECTORS = 4 };
  int64_t extent = p->root->extent[p->col];
  if (machine->vector_registers > 16 || p->cross != TUNE_NO_LOOP || p->generic_count > 1)
    return false;
  return extent == TUNE_DYNAMIC_EXTENT ||
         (extent % p->lanes != 0 && extent > FEW_VECTORS * (int64_t)p->lanes);
}

// Whether each element is repeated less often than a vector has lanes, beside itself: 'general'
// shuffles whole vectors for that (0.2 of the time for two times each of 34x34x24, AVX-512).
static bool repeats_in_parts(const plan *p) {
  const tune_nest *root = p->root;
  int64_t extent = root->extent[p->col];
  for (size_t o = 0; o < root->input_count; o++)
    if (root->operands[o].rank > 0 && tune_operand_coefficient(&root->operands[o], p->col))
      return false;
  return root->input_count > 0 && p->generic_count == 1 && extent != TUNE_DYNAMIC_EXTENT &&
         extent < (int64_t)p->lanes;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine, plan *p) {
  *p = (plan){.cross = TUNE_NO_LOOP};
  if (!structure->is_regular)
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    // Lanes that are masked off read zeroes, and dividing by those traps.
    if (!tune_nest_is_elementwise(nest) || nest->divides_integers)
      return false;
    p->math += nest->math_op_count;
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    p->generic_count++;
    p->root = nest;
  }
  if (!p->root || p->root->loop_count == 0 || p->root->use_count ||
      p->root->operand_count != p->root->input_count + 1)
    return false;
  // Ops of several ranks become vectors as they are, which takes known sizes.
  if (p->generic_count > 1 && structure->is_dynamic)
    return false;
  const tune_operand *out = &p->root->operands[p->root->input_count];
  p->col = tune_operand_contiguous_loop(p->root, out);
  p->lanes = out->bits ? machine->vector_bits / out->bits : 0;
  if (p->col == TUNE_NO_LOOP || !tune_operand_is_projection(out) || p->lanes < 2)
    return false;
  for (size_t o = 0; o < p->root->input_count; o++) {
    const tune_operand *input = &p->root->operands[o];
    size_t contiguous = tune_operand_contiguous_loop(p->root, input);
    if (!tune_operand_is_projection(input))
      return false;
    // A transpose: contiguous along another loop, yet also indexed by ours.
    if (contiguous != p->col && contiguous != TUNE_NO_LOOP &&
        tune_operand_coefficient(input, p->col)) {
      if (p->cross != TUNE_NO_LOOP && p->cross != contiguous)
        return false;
      p->cross = contiguous;
    }
  }
  if (is_masked_dearly(p, machine) || repeats_in_parts(p))
    return false;
  return p->cross == TUNE_NO_LOOP || p->generic_count > 1 ||
         (is_even(p->root, p->cross) && is_even(p->root, p->col));
}

static bool elementwise_applies(const tune_structure *structure, const tune_machine *machine) {
  plan p;
  return make_plan(structure, machine, &p);
}

// Blocks whose sides are whole lines of a cache, of what is read and of what is written: each line
// is fetched and written once, and no more lines than that are to stay in a cache. (Rows of a power
// of two bytes share few of its places: of 64 such lines most would be gone before they are used
// up.) What goes past the caches takes none of these places: then more of each row that is read is
// read at once, as hardware fetches it. A side that does not divide its loop would mask all blocks.
static void write_sides(const plan *p, bool is_streamed, tune_writer *w) {
  enum { LINE_BITS = 512, LEAST = 16, MOST = 8 * LEAST };
  const tune_nest *root = p->root;
  const char *const names[] = {"row_block", "column_block"};
  const size_t loops[] = {p->cross, p->col};
  int64_t line = LINE_BITS / root->operands[root->input_count].bits;
  for (size_t i = 0; i < 2; i++) {
    tune_value_set sides = {0};
    for (int64_t side = LEAST; side <= MOST; side *= 2)
      if (side == LEAST || !is_even(root, loops[i]) || root->extent[loops[i]] % side == 0)
        tune_value_set_add(&sides, side);
    tune_writer_knob(w, names[i], "tile", TUNE_LEVEL_LINALG, &sides,
                     tune_value_set_at_most(&sides, is_streamed && i == 0 && line <= 2 * LEAST
                                                        ? MOST
                                                    : line > LEAST ? line
                                                                   : LEAST));
  }
}

static void write_tiles(const plan *p, bool is_streamed, const tune_machine *machine,
                        tune_writer *w) {
  tune_value_set vectors = {0}, blocks = {0};
  int64_t extent = p->root->extent[p->col];
  // Where masks are dear, and one vector divides a row, all do.
  bool divides = machine->vector_registers <= 16 && extent % p->lanes == 0;
  for (int64_t count = 1; count <= 8; count *= 2)
    if (!divides || extent % (count * p->lanes) == 0)
      tune_value_set_add(&vectors, count * p->lanes);
  if (extent == TUNE_DYNAMIC_EXTENT) {
    blocks = (tune_value_set){3, {1024, 4096, 16384}};
    extent = 4096;
  } else {
    tune_value_set_add(&blocks, extent);
    tune_value_set_add_divisors(&blocks, extent, 1024, extent / 2, 1024);
  }
  tune_tiling outer = {{0}}, inner = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < p->root->loop_count; i++) {
    order[i] = i;
    outer.size[i] = "1";
    inner.size[i] = "1";
  }
  if (p->cross != TUNE_NO_LOOP) {
    write_sides(p, is_streamed, w);
    outer.size[p->cross] = "%row_block";
    outer.size[p->col] = "%column_block";
    inner.size[p->cross] = "16";
    inner.size[p->col] = "16";
  } else {
    tune_writer_knob(
        w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &vectors,
        tune_value_set_at_most(&vectors, extent > 4 * p->lanes ? 4 * p->lanes : extent));
    tune_writer_knob(w, "block", "tile", TUNE_LEVEL_LINALG, &blocks,
                     tune_value_set_at_most(&blocks, 4096));
    outer.size[p->col] = "%block";
    inner.size[p->col] = "%vector";
  }
  char sizes[256];
  bool crossed = p->cross != TUNE_NO_LOOP;
  // What ops of a chain hand on has a buffer, which moves out of plain loops only.
  bool is_forall = machine->threads > 1 || p->generic_count == 1;
  char loops[16] = "";
  if (!is_forall)
    snprintf(loops, sizeof loops, ":%zu", p->root->loop_count);
  tune_writer_line(w, "%%block_op, %%outer%s = transform.structured.fuse %%root tile_sizes %s%s",
                   loops,
                   tune_writer_sizes(sizes, sizeof sizes, &outer, order, p->root->loop_count),
                   is_forall ? " {use_forall}" : "");
  char types[640];
  tune_writer_line(w, "  : (" OP "%s) -> (%s)",
                   crossed ? ", !transform.param<i64>, !transform.param<i64>"
                           : ", !transform.param<i64>",
                   tune_writer_types(types, sizeof types, is_forall ? 2 : p->root->loop_count + 1));
  tune_writer_cleanup(w);
  tune_writer_line(w,
                   "%%ops = transform.structured.match ops{[\"linalg.generic\"]} in %%func : (" OP
                   ") -> " OP);
  tune_tiling kept = inner;
  tune_writer_begin_foreach(w, "%ops", "%op");
  if (p->generic_count == 1) {
    tune_writer_tile(w, "%tile", "%tile_loops", "%op", &kept, order, p->root->loop_count, NULL);
    tune_writer_try_vectorize(
        w, "%tile", tune_writer_sizes(sizes, sizeof sizes, &kept, order, p->root->loop_count));
  } else {
    // Ops of several ranks: in vectors where they are one row, in loops where not.
    tune_writer_try_vectorize(w, "%op", NULL);
  }
  tune_writer_end_foreach(w);
}

static void elementwise_write(const tune_structure *structure, const tune_machine *machine,
                              tune_writer *w) {
  plan p;
  if (!make_plan(structure, machine, &p))
    return;
  tune_writer_begin_tensors(w, p.cross != TUNE_NO_LOOP
                                   ? "rule 'elementwise': blocks transposed in registers"
                                   : "rule 'elementwise': one pass in vectors");
  tune_writer_line(w,
                   "%%generics = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  if (p.generic_count > 1) {
    char names[128];
    size_t used = 0;
    for (size_t i = 0; i + 1 < p.generic_count && used < sizeof names; i++)
      used += (size_t)snprintf(names + used, sizeof names - used, "%%g%zu, ", i);
    char types[640];
    tune_writer_line(w, "%s%%root = transform.split_handle %%generics : (" OP ") -> (%s)", names,
                     tune_writer_types(types, sizeof types, p.generic_count));
  } else {
    tune_writer_line(w, "%%root = transform.merge_handles %%generics : " OP);
  }
  bool is_streamed = tune_streaming_applies(structure, p.root, p.col, machine);
  write_tiles(&p, is_streamed, machine, w);
  tune_writer_vector_cleanup(w, false);
  tune_writer_end_tensors(w);
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  // Blocks that are turned are of 16 elements.
  if (is_streamed)
    tune_streaming_write(&p.root->operands[p.root->input_count], 1,
                         p.cross != TUNE_NO_LOOP ? 16 : p.lanes, p.cross != TUNE_NO_LOOP, machine,
                         w);
  tune_writer_place_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, p.math > 0);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_elementwise = {
    .name = "elementwise",
    .summary = "elementwise ops, broadcasts, transposes: one pass in vectors",
    .kinds = TUNE_KINDS_CPU,
    .applies = elementwise_applies,
    .write = elementwise_write,
};
