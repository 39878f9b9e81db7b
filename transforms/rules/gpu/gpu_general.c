//===- gpu_general.c - The space that every linalg op has on a GPU -----------===//
//
// Each op becomes a kernel with an invocation for each element of its result. Ops that
// upstream cannot cut into elements are left to the lowering (transforms/lower/vulkan/vulkan.h),
// which makes such kernels itself. What is left to decide is the size of a workgroup and what the
// optimiser of SPIR-V does.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/gpu/gpu_writer.h"

#include <stdio.h>

#define OP "!transform.any_op"

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
  tune_writer_line(w,
                   "transform.annotate %%kernel_%zu \"tune.group_x\" = %%group_x : " OP
                   ", !transform.param<i64>",
                   number);
  tune_writer_line(w,
                   "transform.annotate %%kernel_%zu \"tune.group_y\" = %%group_y : " OP
                   ", !transform.param<i64>",
                   number);
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
    snprintf(name, sizeof name, "%%nest_%zu", n);
    if (is_cuttable_kind(&structure->nests[n]) && may_cut(&structure->nests[n]))
      write_kernel(&structure->nests[n], n, name, w);
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
