//===- gpu_general.c - The space that every linalg op has on a GPU -----------===//
//
// Each op becomes a kernel with an invocation for each element of its result. What has one element,
// a sum of everything, is summed up in parts by as many invocations, and these by one. Ops that
// upstream cannot cut into elements are left to the lowering (transforms/lower/vulkan/vulkan.h),
// which makes such kernels itself. What is left to decide is the size of a workgroup and what the
// optimiser of SPIR-V does.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/gpu/gpu_writer.h"

#include <stdio.h>

#define OP "!transform.any_op"

#define MOST_PARTS 4096 // of a sum of everything: one invocation adds these up
#define LEAST_LENGTH 16 // of a part

static bool gpu_general_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true;
}

static bool is_cuttable_kind(const tune_nest *nest) {
  return nest->kind == TUNE_NEST_FILL || nest->kind == TUNE_NEST_GENERIC;
}

// Whether upstream can cut `nest` into elements.
static bool may_cut(const tune_nest *nest) {
  return tune_nest_runs_forward(nest) && nest->reduction_count < nest->loop_count;
}

static void write_group(size_t number, tune_writer *w) {
  tune_writer_line(w,
                   "transform.annotate %%kernel_%zu \"tune.group_x\" = %%group_x : " OP
                   ", !transform.param<i64>",
                   number);
  tune_writer_line(w,
                   "transform.annotate %%kernel_%zu \"tune.group_y\" = %%group_y : " OP
                   ", !transform.param<i64>",
                   number);
}

// An invocation for each element of what the nest `target` makes.
static void write_kernel(const tune_nest *nest, size_t number, const char *target, tune_writer *w) {
  char sizes[4 * TUNE_MAX_LOOPS] = "";
  size_t used = 0;
  for (size_t i = 0; i < nest->loop_count && used < sizeof sizes; i++)
    used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%d", i ? ", " : "",
                             !nest->is_reduction[i]);
  tune_writer_line(w,
                   "%%element_%zu, %%kernel_%zu = transform.structured.tile_using_forall %s "
                   "tile_sizes [%s]",
                   number, number, target, sizes);
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
  write_group(number, w);
}

// The most parts up to `most` that divide `extent`; where these are few, so many that the last part
// is shorter than the others, and not empty.
static int64_t divide(int64_t extent, int64_t most) {
  int64_t best = 1;
  for (int64_t part = 2; part <= extent && part <= most; part++)
    if (extent % part == 0)
      best = part;
  if (best * LEAST_LENGTH >= most || best * LEAST_LENGTH >= extent)
    return best;
  for (int64_t part = most < extent ? most : extent; part > best; part--)
    if ((part - 1) * ((extent + part - 1) / part) < extent)
      return part;
  return best;
}

// Into how many parts each loop of `nest`, a sum of everything, is divided, from the outermost on,
// as long as they have work enough. Whether there are several.
static bool choose_parts(const tune_nest *nest, int64_t *parts) {
  if (nest->kind != TUNE_NEST_GENERIC || nest->reduction_count < nest->loop_count ||
      !nest->combines || nest->has_index || nest->operand_count != nest->input_count + 1)
    return false;
  int64_t length = 1, count = 1;
  for (size_t i = 0; i < nest->loop_count; i++)
    if (nest->extent[i] < 1 || __builtin_mul_overflow(length, nest->extent[i], &length))
      return false;
  for (size_t i = 0; i < nest->loop_count; i++) {
    int64_t most = length / LEAST_LENGTH < MOST_PARTS ? length / LEAST_LENGTH : MOST_PARTS;
    parts[i] = divide(nest->extent[i], most / count);
    count *= parts[i];
  }
  return count > 1;
}

// An invocation for each part of what the nest `target` sums up; the lowering makes the kernel that
// adds up their sums.
static void write_parts(const int64_t *parts, const tune_nest *nest, size_t number,
                        const char *target, tune_writer *w) {
  char counts[24 * TUNE_MAX_LOOPS] = "";
  size_t used = 0;
  for (size_t i = 0; i < nest->loop_count && used < sizeof counts; i++)
    used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%lld", i ? ", " : "",
                             parts[i] > 1 ? (long long)parts[i] : 0ll);
  tune_writer_line(w, "%%start_%zu, %%part_%zu, %%sum_%zu, %%kernel_%zu =", number, number, number,
                   number);
  tune_writer_line(w,
                   "  transform.structured.tile_reduction_using_forall %s by num_threads = [%s] "
                   "tile_sizes = []",
                   target, counts);
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ")");
  write_group(number, w);
}

// Whether `a` and `b` are ops of one name, with loops of the same kinds.
static bool are_alike(const tune_nest *a, const tune_nest *b) {
  if (a->kind != b->kind || a->kind == TUNE_NEST_FILL)
    return a->kind == b->kind;
  if (a->loop_count != b->loop_count)
    return false;
  for (size_t i = 0; i < a->loop_count; i++)
    if (a->is_reduction[i] != b->is_reduction[i])
      return false;
  return true;
}

// Kernels of all nests that are like number `first`. They stand in the IR in the order that they
// have here; where fills of scalars stand among others, it may not be known.
static void write_kernels(const tune_structure *structure, size_t first, tune_writer *w) {
  const tune_nest *nest = &structure->nests[first];
  size_t count = 0;
  char all[32], types[2048];
  snprintf(all, sizeof all, "%%like_%zu", first);
  if (nest->kind == TUNE_NEST_FILL)
    tune_writer_match_op(w, all, "\"linalg.fill\"");
  else
    tune_writer_match_generic(w, all, nest, NULL, nest->loop_count, w->func);
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t n = first; n < structure->nest_count; n++)
    if (are_alike(nest, &structure->nests[n])) {
      tune_string_builder_appendf(&names, "%s%%nest_%zu", names.length ? ", " : "", n);
      count++;
    }
  w->text.failed |= names.failed;
  if (count > 1)
    tune_writer_line(w, "%s = transform.split_handle %s : (" OP ") -> (%s)",
                     names.text ? names.text : "", all,
                     tune_writer_types(types, sizeof types, count));
  else
    tune_writer_line(w, "%s = transform.merge_handles %s : " OP, names.text ? names.text : "", all);
  tune_string_builder_deinit(&names);
}

// Of all of them, before any becomes a kernel, which has such ops in it.
static void write_all_kernels(const tune_structure *structure, tune_writer *w) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    bool is_first = true;
    for (size_t before = 0; before < n; before++)
      is_first &= !are_alike(&structure->nests[before], &structure->nests[n]);
    if (is_first && is_cuttable_kind(&structure->nests[n]))
      write_kernels(structure, n, w);
  }
  for (size_t n = 0; n < structure->nest_count; n++) {
    char name[32];
    int64_t parts[TUNE_MAX_LOOPS];
    snprintf(name, sizeof name, "%%nest_%zu", n);
    if (is_cuttable_kind(&structure->nests[n]) && may_cut(&structure->nests[n]))
      write_kernel(&structure->nests[n], n, name, w);
    else if (choose_parts(&structure->nests[n], parts))
      write_parts(parts, &structure->nests[n], n, name, w);
  }
}

static void gpu_general_write(const tune_structure *structure, const tune_machine *machine,
                              tune_writer *w) {
  tune_writer_begin_tensors(w, "rule 'gpu_general': a kernel for each op, an invocation for each "
                               "element");
  tune_value_set sizes = {0};
  for (int64_t size = 8; size <= 256; size *= 2)
    if (size <= machine->gpu.group_invocations && size <= machine->gpu.group_size[0])
      tune_value_set_add(&sizes, size);
  tune_writer_knob(w, "group_x", NULL, TUNE_LEVEL_GPU, &sizes, tune_value_set_at_most(&sizes, 64));
  tune_writer_line(w, "%%group_y = transform.param.constant 1 : i64 -> !transform.param<i64>");
  if (!structure->is_empty)
    write_all_kernels(structure, w);
  tune_writer_end_tensors(w);
  tune_writer_begin_buffers(w);
  // Elements that are copied onto themselves are not.
  tune_writer_apply_pass(w, "cse", "%once");
  tune_writer_apply_pass(w, "canonicalize", "%plain");
  tune_gpu_write_target_knobs(machine, w);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_gpu_general = {
    .name = "gpu_general",
    .summary = "any linalg op on a GPU: a kernel for each, an invocation for each element",
    .kinds = TUNE_KINDS_GPU,
    .applies = gpu_general_applies,
    .write = gpu_general_write,
};
