//===- gpu_general.c - The space that every linalg op has on a GPU ------------------===//
//
// Each op becomes a kernel with an invocation for each element of its result. Ops that
// upstream cannot cut into elements are left to the lowering (transforms/lower/vulkan.h), which
// makes such kernels itself. What is left to decide is the size of a workgroup and what the
// optimiser of SPIR-V does.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/gpu_parts.h"

#include <stdio.h>

#define OP "!transform.any_op"

static bool gpu_general_applies(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true;
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

// Kernels of the nests of one kind, whose ops are called `op`.
static void write_kernels(const tune_structure *structure, tune_nest_kind kind, const char *op,
                          const char *prefix, tune_writer *w) {
  size_t count = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    count += structure->nests[n].kind == kind;
  if (count == 0)
    return;
  char all[32], quoted[40], types[2048];
  snprintf(all, sizeof all, "%%%ss", prefix);
  snprintf(quoted, sizeof quoted, "\"%s\"", op);
  tune_writer_match_op(w, all, quoted);
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == kind)
      tune_string_builder_appendf(&names, "%s%%%s_%zu", names.length ? ", " : "", prefix, n);
  w->text.failed |= names.failed;
  if (count > 1)
    tune_writer_line(w, "%s = transform.split_handle %s : (" OP ") -> (%s)",
                     names.text ? names.text : "", all,
                     tune_writer_types(types, sizeof types, count));
  else
    tune_writer_line(w, "%s = transform.merge_handles %s : " OP, names.text ? names.text : "", all);
  tune_string_builder_deinit(&names);
  for (size_t n = 0; n < structure->nest_count; n++) {
    char name[32];
    snprintf(name, sizeof name, "%%%s_%zu", prefix, n);
    if (structure->nests[n].kind == kind && may_cut(&structure->nests[n]))
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
  if (!structure->is_empty) {
    write_kernels(structure, TUNE_NEST_FILL, "linalg.fill", "fill", w);
    write_kernels(structure, TUNE_NEST_GENERIC, "linalg.generic", "generic", w);
  }
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
