//===- gpu_rows.c - Reductions, softmax and norms on devices -----------------===//
//
// Every op works on the same rows (reduction_plan.h): one kernel, in which an invocation has a row
// of its own, or shares it with the lanes of its subgroup, and goes along it once for each
// reduction and once for what is written. What is computed of each element on the way (the
// exponentials of a softmax) is computed again in each pass, which is cheaper than memory; but
// where `vector` is all that a lane has of a row there is one step, and the row stays in registers
// (lanes.h).
//
// Reductions across the contiguous loop have `vector` columns in each invocation instead.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/gpu/gpu_writer.h"
#include "transforms/rules/reduction/reduction_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

#define WIDTH 4        // of a shader's vectors
#define MOST_SHARE 256 // elements of a row that a lane may keep
#define MOST_NESTS 24
#define GROUP_LANES 256     // by default, where a group has a row
#define MOST_GROUP_SHARE 32 // elements of it that a lane then keeps by default

typedef struct plan {
  tune_reduction_plan cut;
  tune_value_set vectors; // of the line, or of columns
  int64_t vector;
} plan;

static int64_t count_rows(const plan *p) {
  int64_t rows = 1;
  for (size_t i = 0; i < p->cut.root->loop_count; i++)
    if (!p->cut.root->is_reduction[i] && (p->cut.is_row[i] || i == p->cut.column))
      rows *= p->cut.root->extent[i];
  return rows;
}

// Whether lanes of a subgroup can pass sums on.
static bool has_lanes(const tune_machine *machine) {
  return machine->gpu.subgroup_size > 1 &&
         machine->gpu.subgroup_size == tune_gpu_subgroup(machine) &&
         machine->gpu.has_subgroup_arithmetic;
}

// The largest of the vectors up to `most`, or the smallest that has more than one element, if any:
// lanes add up vectors alone.
static int64_t choose_vector(const tune_value_set *vectors, int64_t most) {
  int64_t chosen = tune_value_set_at_most(vectors, most);
  return chosen > 1 || vectors->count < 2 ? chosen : vectors->values[1];
}

// What each lane of a subgroup has of a row, if that is vectors; else 0.
static int64_t find_share(const plan *p, const tune_machine *machine) {
  const tune_reduction_plan *cut = &p->cut;
  int64_t step = machine->gpu.subgroup_size * WIDTH;
  return cut->shape != TUNE_REDUCTION_COLUMNS && cut->line_count == 1 && has_lanes(machine) &&
                 cut->line[0] % step == 0
             ? cut->line[0] / machine->gpu.subgroup_size
             : 0;
}

// Whether `nest` reads or writes a row or a column other than the one of its loops.
static bool has_offset(const tune_nest *nest) {
  for (size_t o = 0; o < nest->operand_count; o++)
    for (size_t d = 0; d < nest->operands[o].rank; d++)
      if (nest->operands[o].index[d].constant)
        return true;
  return false;
}

// Which of the loops of `nest` along the line dimension `d` of `operand` is; TUNE_NO_LOOP: none.
static size_t line_loop_at(const plan *p, const tune_nest *nest, const tune_operand *operand,
                           size_t d) {
  for (size_t loop = p->cut.row_count; loop < nest->loop_count; loop++)
    if (tune_operand_is_loop(operand, d, loop))
      return loop;
  return TUNE_NO_LOOP;
}

// Whether nothing is left of `nest` in one row: it only moves what it reads, and that lies along
// the line as what it writes does. Upstream folds such an op away with the dimensions of one
// element.
static bool vanishes(const plan *p, const tune_nest *nest) {
  if (nest->kind != TUNE_NEST_GENERIC || nest->reduction_count || nest->input_count != 1 ||
      nest->operand_count != 2 || strcmp(nest->expression, "0") != 0)
    return false;
  const tune_operand *in = &nest->operands[0], *out = &nest->operands[1];
  size_t at = 0, found = 0;
  for (size_t d = 0; d < out->rank; d++) {
    size_t loop = line_loop_at(p, nest, out, d);
    if (loop == TUNE_NO_LOOP)
      continue;
    while (at < in->rank && line_loop_at(p, nest, in, at) == TUNE_NO_LOOP)
      at++;
    if (at == in->rank || !tune_operand_is_loop(in, at++, loop))
      return false;
    found++;
  }
  return nest->loop_count <= p->cut.row_count + found;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine, plan *p) {
  *p = (plan){.vector = 1};
  tune_machine registers = tune_gpu_registers(machine);
  if (structure->is_dynamic || structure->is_empty || structure->nest_count > MOST_NESTS ||
      !tune_reduction_plan_make(structure, &registers, &p->cut))
    return false;
  const tune_reduction_plan *cut = &p->cut;
  if (cut->shape == TUNE_REDUCTION_ROWS && cut->row_count == 0)
    return false; // one row is no work for many
  // Passes are of ops with one result each, whose operands begin where their loops do.
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].operand_count > structure->nests[n].input_count + 1 ||
        structure->nests[n].has_index || has_offset(&structure->nests[n]))
      return false;
  if (cut->root->loop_count > cut->row_count && vanishes(p, cut->root))
    return false; // the pass that writes would be no op's
  int64_t extent =
      cut->shape == TUNE_REDUCTION_COLUMNS ? cut->columns : cut->line[cut->line_count - 1];
  for (int64_t part = 1; part <= 64; part++)
    if (extent % part == 0 && (part % WIDTH == 0 || extent % WIDTH))
      tune_value_set_add(&p->vectors, part);
  p->vector = cut->shape == TUNE_REDUCTION_COLUMNS ? tune_value_set_at_most(&p->vectors, WIDTH)
                                                   : choose_vector(&p->vectors, 16);
  int64_t share = find_share(p, machine);
  if (share > 0 && share <= MOST_SHARE)
    tune_value_set_add(&p->vectors, share);
  // A row that is gone along once has nothing to keep.
  if (share > 0 && share <= (machine->gpu.is_software ? 128 : 32) && structure->nest_count > 2)
    p->vector = share;
  return p->vectors.count > 0;
}

static bool gpu_rows_applies(const tune_structure *structure, const tune_machine *machine) {
  plan p;
  return make_plan(structure, machine, &p);
}

// Whether the lanes of subgroups can share rows of the task.
static bool can_share(const plan *p, const tune_machine *machine) {
  return p->cut.shape != TUNE_REDUCTION_COLUMNS && has_lanes(machine) &&
         p->vectors.values[p->vectors.count - 1] > 1;
}

// Whether rows are so few that subgroups would leave most of the device idle, and long enough for
// all of a group.
static bool wants_groups(const plan *p, const tune_machine *machine) {
  int64_t processors = machine->gpu.multiprocessors > 0 ? machine->gpu.multiprocessors : 64;
  int64_t steps = p->cut.line[p->cut.line_count - 1] / choose_vector(&p->vectors, WIDTH);
  return can_share(p, machine) && !machine->gpu.is_software && count_rows(p) < 8 * processors &&
         steps >= GROUP_LANES;
}

// What a lane of a group has of a row that is gone along more than once, if registers hold it; else
// short steps, of which there are some for all lanes.
static int64_t choose_group_vector(const tune_structure *structure, const plan *p) {
  int64_t length = p->cut.line[p->cut.line_count - 1], share = length / GROUP_LANES;
  bool is_kept = structure->nest_count > 2 && p->cut.line_count == 1 && share <= MOST_GROUP_SHARE &&
                 length % (GROUP_LANES * WIDTH) == 0 &&
                 tune_value_set_at_most(&p->vectors, share) == share;
  return is_kept ? share : choose_vector(&p->vectors, WIDTH);
}

// More than a subgroup have a row where it has as many steps.
static void add_groups(const plan *p, const tune_machine *machine, int64_t subgroup,
                       tune_value_set *lanes) {
  int64_t most = machine->gpu.is_software ? 8 * subgroup : tune_gpu_group_most(machine);
  for (int64_t count = 4 * subgroup; count <= most && count <= machine->gpu.group_size[0];
       count *= 2)
    if (p->cut.line[p->cut.line_count - 1] / p->vectors.values[0] >= count)
      tune_value_set_add(lanes, count);
}

// A subgroup has a row together where it can pass sums on, or a group of several.
static void write_lanes(const plan *p, const tune_machine *machine, tune_writer *w) {
  int64_t rows = count_rows(p), subgroup = tune_gpu_subgroup(machine);
  bool is_shared = can_share(p, machine), is_group = wants_groups(p, machine);
  tune_value_set lanes = {0};
  tune_value_set_add(&lanes, 1);
  if (is_shared) {
    tune_value_set_add(&lanes, subgroup);
    add_groups(p, machine, subgroup, &lanes);
  }
  tune_writer_knob(w, "lanes", "parallel", TUNE_LEVEL_GPU, &lanes,
                   is_group    ? tune_value_set_at_most(&lanes, GROUP_LANES)
                   : is_shared ? subgroup
                               : 1);
  if (!is_shared) {
    tune_gpu_write_group_knobs(machine, rows, 1, subgroup, 64, w);
    return;
  }
  int64_t most = tune_gpu_group_most(machine), in_group = most / subgroup;
  // Groups of a real device are small enough for several of them to be in flight.
  if (!machine->gpu.is_software && in_group > 256 / subgroup)
    in_group = 256 / subgroup > 1 ? 256 / subgroup : 1;
  if (in_group > 64)
    in_group = 64;
  tune_gpu_write_group_knobs(machine, rows, 1, 1, is_group ? 1 : in_group, w);
  const char *why = "the lanes of a group's rows fill a subgroup, and are no more than the device "
                    "allows";
  tune_writer_constraint(w, why, "lanes * group_x >= %" PRId64, subgroup);
  tune_writer_constraint(w, why, "lanes * group_x <= %" PRId64, most);
  tune_writer_constraint(w, "several subgroups with a row are a group of their own",
                         "lanes > %" PRId64 " => group_x <= 1", subgroup);
  if (p->vectors.values[0] == 1)
    tune_writer_constraint(w, "lanes that share rows have vectors of them",
                           "lanes > 1 => vector > 1");
}

static void write_knobs(const tune_structure *structure, const plan *p, const tune_machine *machine,
                        tune_writer *w) {
  const tune_reduction_plan *cut = &p->cut;
  bool is_columns = cut->shape == TUNE_REDUCTION_COLUMNS;
  tune_writer_knob(w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &p->vectors,
                   wants_groups(p, machine) ? choose_group_vector(structure, p) : p->vector);
  int64_t length = 1, limit = machine->gpu.loop_limit;
  for (size_t i = 0; i < cut->line_count; i++)
    length *= cut->line[i];
  if (limit > 0 && !is_columns)
    tune_writer_constraint(w, "this device stops loops after so many iterations",
                           "%" PRId64 " / vector * %zu < %" PRId64, length, structure->nest_count,
                           limit);
  if (is_columns) {
    tune_value_set unroll = {0};
    for (int64_t by = 1; by <= 16; by *= 2)
      if (cut->line[cut->line_count - 1] % by == 0)
        tune_value_set_add(&unroll, by);
    tune_writer_knob(w, "unroll", "unroll", TUNE_LEVEL_VECTOR, &unroll,
                     tune_value_set_at_most(&unroll, 8));
  }
  if (is_columns)
    tune_gpu_write_group_knobs(machine, cut->columns / p->vector, 1, tune_gpu_subgroup(machine), 64,
                               w);
  else
    write_lanes(p, machine, w);
}

static void bind_root(const tune_structure *structure, const plan *p, tune_writer *w) {
  char names[640] = "";
  size_t used = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_GENERIC)
      used +=
          &structure->nests[n] == p->cut.root
              ? (size_t)snprintf(names + used, sizeof names - used, "%s%%root", used ? ", " : "")
              : (size_t)snprintf(names + used, sizeof names - used, "%s%%nest_%zu",
                                 used ? ", " : "", n);
  tune_gpu_write_nests(structure, "%generics", names, w);
}

// A row, or some columns, for each invocation, with all that is made of it.
static void write_grid(const plan *p, tune_writer *w) {
  const tune_nest *root = p->cut.root;
  bool is_columns = p->cut.shape == TUNE_REDUCTION_COLUMNS;
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256];
  tune_writer_identity_order(order, root->loop_count);
  size_t rank = 0;
  for (size_t i = 0; i < root->loop_count; i++) {
    bool is_shared =
        !root->is_reduction[i] &&
        (p->cut.is_row[i] || (p->cut.shape != TUNE_REDUCTION_ROWS && i == p->cut.column));
    tile.size[i] = !is_shared ? "0" : is_columns && i == p->cut.column ? "%vector" : "1";
    rank += is_shared;
  }
  tune_writer_line(w,
                   "%%tile, %%grid = transform.structured.fuse %%root tile_sizes %s "
                   "{use_forall}",
                   tune_writer_sizes(sizes, sizeof sizes, &tile, order, root->loop_count));
  tune_writer_line(w, "  : (" OP "%s) -> (" OP ", " OP ")", is_columns ? ", " PARAM : "");
  if (!is_columns)
    tune_writer_line(w, "transform.annotate %%grid \"tune.lanes\" = %%lanes : " OP ", " PARAM);
  tune_gpu_write_groups("%grid", rank, w);
  tune_writer_apply_pattern(w, "tensor.fold_tensor_empty");
  tune_writer_cleanup(w);
  tune_writer_fold_unit_dims(w);
}

// "[1, 1, %vector]" for `count` loops.
static const char *line_sizes(size_t count, const char *last, char *buffer, size_t size) {
  size_t used = (size_t)snprintf(buffer, size, "[");
  for (size_t i = 0; i + 1 < count && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "1, ");
  if (used < size)
    snprintf(buffer + used, size - used, "%s]", last);
  return buffer;
}

static bool is_line(const plan *p, const tune_nest *nest) {
  return nest->kind == TUNE_NEST_GENERIC && !nest->reduction_count &&
         nest->loop_count > p->cut.row_count && !vanishes(p, nest);
}

// Marks in `is_needed` the ops along the line that `nest` reads from, directly or through others.
static void find_needed(const tune_structure *structure, const plan *p, const tune_nest *nest,
                        bool *is_needed) {
  for (size_t o = 0; o < nest->input_count; o++) {
    size_t producer = nest->operands[o].producer;
    if (producer == TUNE_NO_LOOP || is_needed[producer])
      continue;
    is_needed[producer] = is_line(p, &structure->nests[producer]);
    if (!is_needed[producer] && !vanishes(p, &structure->nests[producer]))
      continue;
    find_needed(structure, p, &structure->nests[producer], is_needed);
  }
}

// Goes along the line for nest `number`, the handle %op_<number>, and computes again within that
// loop what it reads of elements along the line that others have computed. These are found by
// their mark: the first of that mark is the one all others are made from.
static void write_pass(const tune_structure *structure, const plan *p, size_t number,
                       size_t *times_made, tune_writer *w) {
  char sizes[128], types[640], loop[64];
  size_t count = p->cut.line_count;
  bool is_needed[MOST_NESTS] = {false};
  find_needed(structure, p, &structure->nests[number], is_needed);
  tune_writer_line(w,
                   "%%step_%zu, %%loops_%zu:%zu = transform.structured.tile_using_for %%op_%zu "
                   "tile_sizes %s",
                   number, number, count, number,
                   line_sizes(count, "%vector", sizes, sizeof sizes));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (%s)",
                   tune_writer_types(types, sizeof types, count + 1));
  snprintf(loop, sizeof loop, "%%loops_%zu#%zu", number, count - 1);
  tune_writer_line(w, "transform.annotate %s \"tune.shared\" : " OP, loop);
  for (size_t n = number; n-- > 0;) {
    if (!is_needed[n])
      continue;
    char kept[64], made[64], around[64];
    snprintf(kept, sizeof kept, times_made[n] ? "%%kept_%zu_%zu#0" : "%%all_%zu_%zu", number, n);
    snprintf(made, sizeof made, "%%again_%zu_%zu", number, n);
    snprintf(around, sizeof around, "%%around_%zu_%zu", number, n);
    // What reads the same reads it once.
    tune_writer_line(w, "transform.apply_cse to %s : " OP, w->func);
    tune_writer_line(w,
                     "%%all_%zu_%zu = transform.structured.match attributes{\"tune.nest_%zu\"} in "
                     "%s : (" OP ") -> " OP,
                     number, n, n, w->func);
    if (times_made[n]++) // upstream cannot split one into one and the rest
      tune_writer_line(w,
                       "%%kept_%zu_%zu:2 = transform.split_handle %%all_%zu_%zu {overflow_result "
                       "= 1} : (" OP ") -> (" OP ", " OP ")",
                       number, n, number, n);
    tune_writer_fuse_into(w, made, kept, loop, around);
    snprintf(loop, sizeof loop, "%s", around);
  }
}

// Whether `nest` is an op of each row.
static bool is_left(const plan *p, const tune_nest *nest) {
  return nest->kind == TUNE_NEST_GENERIC && !vanishes(p, nest);
}

static void write_lines(const tune_structure *structure, const plan *p, tune_writer *w) {
  char names[640] = "";
  size_t used = 0, count = 0, times_made[MOST_NESTS] = {0};
  for (size_t n = 0; n < structure->nest_count; n++)
    if (is_left(p, &structure->nests[n])) {
      used +=
          (size_t)snprintf(names + used, sizeof names - used, "%s%%op_%zu", used ? ", " : "", n);
      count++;
    }
  tune_gpu_write_generics("%parts", names, count, w);
  for (size_t n = 0; n < structure->nest_count; n++)
    if (is_line(p, &structure->nests[n]))
      tune_writer_line(w, "transform.annotate %%op_%zu \"tune.nest_%zu\" : " OP, n, n);
  // The last first: what is computed again has to stand before who reads it.
  for (size_t n = structure->nest_count; n-- > 0;) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_GENERIC && (nest->reduction_count || nest == p->cut.root) &&
        nest->loop_count > p->cut.row_count)
      write_pass(structure, p, n, times_made, w);
  }
}

// Some steps of the reduction at a time, for all columns of the invocation.
static void write_columns(const plan *p, tune_writer *w) {
  tune_nest sum = {.reduction_count = p->cut.line_count};
  size_t loops = p->cut.line_count + 1, column = p->cut.column < loops ? p->cut.column : loops - 1;
  for (size_t i = 0; i < loops; i++)
    sum.is_reduction[i] = i != column;
  tune_tiling steps = {{0}};
  size_t order[TUNE_MAX_LOOPS], last = column == loops - 1 ? loops - 2 : loops - 1;
  tune_writer_identity_order(order, loops);
  for (size_t i = 0; i < loops; i++)
    steps.size[i] = i == column ? "0" : i == last ? "%unroll" : "1";
  tune_writer_match_generic(w, "%sums", &sum, NULL, loops, w->func);
  tune_writer_begin_foreach(w, "%sums", "%sum");
  tune_writer_tile(w, "%step", "%steps", "%sum", &steps, order, loops, NULL);
  tune_writer_end_foreach(w);
}

static void gpu_rows_write(const tune_structure *structure, const tune_machine *machine,
                           tune_writer *w) {
  plan p;
  if (!make_plan(structure, machine, &p))
    return;
  tune_writer_begin_tensors(w, "rule 'gpu_rows': a row for each invocation, in passes");
  write_knobs(structure, &p, machine, w);
  bind_root(structure, &p, w);
  write_grid(&p, w);
  if (p.cut.shape == TUNE_REDUCTION_COLUMNS)
    write_columns(&p, w);
  else
    write_lines(structure, &p, w);
  tune_writer_cleanup(w);
  // As generic ops, so that what starts a sum loses its unit dimensions as the sum did.
  tune_writer_match_op(w, "%fills", "\"linalg.fill\"");
  tune_writer_line(w, "%%starts = transform.structured.generalize %%fills : (" OP ") -> " OP);
  tune_writer_fold_unit_dims(w);
  tune_gpu_write_vectors(w);
  tune_gpu_write_end(structure, machine, false, false, w);
}

const tune_rule tune_rule_gpu_rows = {
    .name = "gpu_rows",
    .summary = "reductions, softmax and norms on devices: a row for each invocation",
    .kinds = TUNE_KINDS_GPU,
    .applies = gpu_rows_applies,
    .write = gpu_rows_write,
};
