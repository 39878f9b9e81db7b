//===- inputs.c - Arguments that candidates are run on -----------------------===//

#include "tools/tune-measure/inputs.h"
#include "targets/npy.h"
#include "targets/sparse.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Integers that may index something are below the smallest dimension, and this.
#define LARGEST_INDEX 64

// Below every dimension but those of size 1, so that the value can index any of them.
static int64_t find_index_limit(const task *t) {
  int64_t limit = LARGEST_INDEX;
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    for (size_t d = 0; d < t->dense.values[i].type.rank; ++d) {
      int64_t size = t->dense.values[i].type.shape[d];
      if (size > 1 && size < limit)
        limit = size;
    }
  return limit;
}

// `dynamic` is what unknown dimensions are; 0: as the type says.
static tune_value_type with_static_shape(const tune_value_type *type, int64_t dynamic) {
  tune_value_type fixed = *type;
  for (size_t i = 0; i < fixed.rank; ++i)
    fixed.shape[i] = tune_value_type_size(type, i, dynamic);
  return fixed;
}

// The file that an argument comes from; NULL: it is made.
static const char *input_path(const tune_inputs_wanted *wanted, size_t index) {
  return index < wanted->inputs.count ? wanted->inputs.items[index] : NULL;
}

static tune_status check_inputs(const tune_inputs_wanted *wanted, const tune_signature *signature) {
  if (wanted->inputs.count <= signature->argument_count)
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu inputs where there are %zu arguments",
                          wanted->inputs.count, signature->argument_count);
}

// What an unknown dimension is where nobody says: that of the first input from a file which has
// one unknown, since they most often are the same (the size of a batch).
static void adopt_dynamic(const tune_value_type *type, const tune_buffer *buffer,
                          int64_t *dynamic) {
  for (size_t d = 0; d < type->rank && *dynamic == 0; ++d)
    if (type->shape[d] == TUNE_DYNAMIC)
      *dynamic = buffer->type.shape[d];
}

// A limit of our control group, where there is one.
static double read_limit(const char *path) {
  double bytes;
  FILE *file = fopen(path, "re");
  bool has_one = file && fscanf(file, "%lf", &bytes) == 1 && bytes > 0;
  if (file)
    fclose(file);
  return has_one ? bytes : DBL_MAX;
}

static double memory_there_is(void) {
  double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double group = read_limit("/sys/fs/cgroup/memory.max");
  double old_group = read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  double least = group < old_group ? group : old_group;
  return least < all ? least : all;
}

static double bytes_of(const tune_value_type *type, int64_t dynamic) {
  tune_value_type fixed = with_static_shape(type, dynamic);
  return (double)tune_value_type_element_count(&fixed) *
         (double)tune_element_type_size(fixed.element);
}

// Memory is given out whether it is there or not; who fills what is not there is killed. A result
// that is no argument is somewhere else, and takes as much again.
static tune_status check_memory(const tune_signature *signature, int64_t dynamic) {
  double bytes = 0, there_is = memory_there_is();
  for (size_t i = 0; i < signature->argument_count; ++i)
    bytes += bytes_of(&signature->arguments[i], dynamic);
  for (size_t i = 0; i < signature->result_count; ++i)
    bytes += bytes_of(&signature->results[i], dynamic);
  if (bytes <= there_is)
    return TUNE_OK;
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "the arguments and results take %.3g GB, and this machine has %.3g; "
                          "--emit builds without running, or make the tensors smaller",
                          bytes / 1e9, there_is / 1e9);
}

tune_status inputs_make(const tune_inputs_wanted *wanted, task *t) {
  const tune_signature *signature = &t->signature;
  int64_t dynamic = wanted->dynamic;
  TUNE_RETURN_IF_ERROR(check_inputs(wanted, signature));
  t->dense.values = calloc(signature->argument_count + 1, sizeof *t->dense.values);
  if (!t->dense.values)
    return tune_status_out_of_memory("making inputs");
  for (size_t i = 0; i < signature->argument_count; ++i) {
    const char *path = input_path(wanted, i);
    if (!path)
      continue;
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        tune_npy_read(path, &signature->arguments[i], &t->dense.values[i]), "input %zu", i));
    adopt_dynamic(&signature->arguments[i], &t->dense.values[i], &dynamic);
  }
  TUNE_RETURN_IF_ERROR(check_memory(signature, dynamic));
  for (size_t i = 0; i < signature->argument_count; ++i) {
    if (t->dense.values[i].data)
      continue;
    tune_value_type type = with_static_shape(&signature->arguments[i], dynamic);
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(tune_buffer_init(&t->dense.values[i], &type), "input %zu", i));
  }
  return TUNE_OK;
}

// Smaller ones are no masks, and not further from zero.
static void shrink(tune_buffer *value, double by) {
  const tune_value_type *type = &value->type;
  size_t size = tune_element_type_size(type->element);
  if (!tune_element_type_is_float(type->element) ||
      (type->has_range && (type->is_whole || type->range[0] > 0)))
    return;
  for (size_t at = 0; at < value->size; at += size) {
    char *bytes = (char *)value->data + at;
    tune_element_store(type->element, tune_element_load(type->element, bytes) / by, bytes);
  }
}

void inputs_fill(const inputs_source *source, task *t) {
  int64_t limit = find_index_limit(t);
  for (size_t i = 0; i < t->signature.argument_count; ++i) {
    if (input_path(source->wanted, i))
      continue;
    tune_buffer_fill(&t->dense.values[i], (uint64_t)source->wanted->seed + i, source->fill, limit);
    if (source->shrinkage > 1)
      shrink(&t->dense.values[i], source->shrinkage);
  }
}

bool inputs_take_special(const task *t) {
  return t->signature.takes_special && t->target == &tune_target_cpu;
}

// Loops that are not linalg's may add up whatever nobody said.
bool inputs_add_nothing(const task *t) {
  return t->tolerance.reduction <= 1 && t->signature.sums_arguments;
}

bool inputs_are_wide(const task *t) { return t->signature.selects || inputs_add_nothing(t); }

static bool has_float_output(const tune_signature *signature) {
  for (size_t i = 0; i < tune_signature_output_count(signature); ++i)
    if (tune_element_type_is_float(tune_signature_output(signature, i)->element))
      return true;
  return false;
}

// Of the shapes of the dense ones, and the same.
static tune_status copy_dense(const task *t, task_inputs *set) {
  set->values = calloc(t->signature.argument_count + 1, sizeof *set->values);
  if (!set->values)
    return tune_status_out_of_memory("making inputs");
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        tune_buffer_init_copy(&set->values[i], &t->dense.values[i]), "input %zu", i));
  return TUNE_OK;
}

tune_status inputs_make_sparse(const inputs_source *source, const task *t, inputs_kind kind,
                               task_inputs *set) {
  // Those of exact sets are between.
  static const uint64_t seeds[] = {[INPUTS_FEW] = 1, [INPUTS_LARGE] = 2, [INPUTS_STEPPED] = 4};
  size_t count = t->signature.argument_count;
  tune_sparse_fill how = {.reduction = t->tolerance.reduction,
                          .is_positive = source->fill == TUNE_FILL_POSITIVE,
                          .is_large = kind == INPUTS_LARGE,
                          .is_wide = inputs_are_wide(t),
                          .is_stepped = kind == INPUTS_STEPPED,
                          .has_specials = inputs_take_special(t),
                          .has_edges = !t->signature.is_partial,
                          .has_wide_integers =
                              kind == INPUTS_LARGE || !has_float_output(&t->signature),
                          .index_limit = find_index_limit(t)};
  TUNE_RETURN_IF_ERROR(copy_dense(t, set));
  for (size_t i = 0; i < count; ++i) {
    how.seed = (uint64_t)source->wanted->seed + seeds[kind] * count + i;
    if (!input_path(source->wanted, i))
      tune_buffer_fill_sparsely(&set->values[i], &how);
  }
  return TUNE_OK;
}

tune_status inputs_make_exact(const inputs_source *source, const task *t,
                              const tune_exact_plan *plan, size_t number, size_t striped,
                              task_inputs *set) {
  size_t count = t->signature.argument_count;
  int64_t limit = find_index_limit(t);
  TUNE_RETURN_IF_ERROR(copy_dense(t, set));
  for (size_t i = 0; i < count; ++i)
    if (!input_path(source->wanted, i))
      tune_exact_fill(&set->values[i], plan, number, i == striped,
                      (uint64_t)source->wanted->seed + 3 * count + i, limit);
  return TUNE_OK;
}

bool inputs_are_number(const tune_buffer *input) {
  tune_element_type element = input->type.element;
  return !tune_element_type_is_float(element) && input->size == tune_element_type_size(element);
}

bool inputs_have_file_of_floats(const tune_inputs_wanted *wanted, const task *t) {
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    if (input_path(wanted, i) && tune_element_type_is_float(t->signature.arguments[i].element))
      return true;
  return false;
}

void inputs_destroy(const task *t, task_inputs *set) {
  for (size_t i = 0; set->values && i < t->signature.argument_count; ++i)
    tune_buffer_deinit(&set->values[i]);
  free(set->values);
  set->values = NULL;
}
