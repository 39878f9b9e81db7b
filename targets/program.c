//===- program.c - Reading device programs -----------------------------------===//

#include "targets/program.h"

#include "formats/device_program.h"
#include "support/file.h"
#include "support/program_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The file being read. What is wrong is said of the member at hand by whoever called.
typedef struct reader {
  const char *at; // what was not taken yet: the modules' code and the constants' data
  size_t left;
  const tune_signature *signature;
  tune_program *program;
} reader;

// `*out_index` is `value`, which has to be one of `count` things.
static tune_status get_index(const char *what, int64_t value, size_t count, size_t *out_index) {
  *out_index = 0;
  if (value < 0 || (uint64_t)value >= count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s %" PRId64 " is out of range, there are %zu",
                            what, value, count);
  *out_index = (size_t)value;
  return TUNE_OK;
}

// A copy of the next `size` bytes of the file.
static tune_status take(reader *r, size_t size, void **out_bytes) {
  if (size > r->left)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the file has %zu of its %zu bytes", r->left,
                            size);
  *out_bytes = malloc(size + 1);
  if (!*out_bytes)
    return tune_status_out_of_memory("reading %zu bytes", size);
  memcpy(*out_bytes, r->at, size);
  r->at += size;
  r->left -= size;
  return TUNE_OK;
}

//===- Modules and buffers ----------------------------------------------------------===//

static tune_status read_jit_options(const tune_described_module *described, const char *target,
                                    tune_program_module *out) {
  static const char *const CACHES[] = {"default", "cg", "ca"};
  const char *cache = described->load_cache;
  out->opt_level = (uint32_t)described->opt_level;
  if ((cache || out->opt_level) && strcmp(target, "cuda") != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"opt_level\" and \"load_cache\" are for the target 'cuda'");
  if (!cache)
    return TUNE_OK;
  for (size_t i = 0; i < sizeof CACHES / sizeof *CACHES; ++i)
    if (strcmp(CACHES[i], cache) == 0) {
      out->load_cache = (tune_program_load_cache)i;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "\"load_cache\" is none of \"default\", \"cg\", \"ca\"");
}

static tune_status read_modules(const tune_described_modules *modules, const char *target,
                                reader *r) {
  r->program->modules = calloc(modules->count + 1, sizeof *r->program->modules);
  if (!r->program->modules)
    return tune_status_out_of_memory("reading modules");
  r->program->module_count = modules->count;
  for (size_t i = 0; i < modules->count; ++i) {
    tune_program_module *module = &r->program->modules[i];
    module->size = (size_t)modules->items[i].bytes;
    module->is_host = modules->items[i].host;
    tune_status status = read_jit_options(&modules->items[i], target, module);
    if (tune_status_is_ok(status))
      status = take(r, module->size, &module->code);
    TUNE_RETURN_IF_ERROR(tune_status_annotate(status, "module %zu", i));
  }
  return TUNE_OK;
}

static tune_status size_of_value(const tune_value_type *type, size_t *out_size) {
  if (!tune_value_type_is_static(type)) {
    char text[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(type, text);
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "it is %s, and programs are for static shapes only", text);
  }
  *out_size = tune_value_type_element_count(type) * tune_element_type_size(type->element);
  return TUNE_OK;
}

static tune_status read_buffer(const tune_described_buffer *described, reader *r,
                               tune_program_buffer *out) {
  const tune_signature *signature = r->signature;
  if (described->is_argument) {
    out->kind = TUNE_PROGRAM_ARGUMENT;
    TUNE_RETURN_IF_ERROR(get_index("argument", described->argument.argument,
                                   signature->argument_count, &out->index));
    const tune_value_type *type = &signature->arguments[out->index];
    out->is_read_only = !type->is_readwrite;
    return size_of_value(type, &out->size);
  }
  if (described->is_result) {
    out->kind = TUNE_PROGRAM_RESULT;
    TUNE_RETURN_IF_ERROR(
        get_index("result", described->result.result, signature->result_count, &out->index));
    return size_of_value(&signature->results[out->index], &out->size);
  }
  if (!described->is_own)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "it is no argument, no result, and of no size in bytes");
  out->size = (size_t)described->own.bytes;
  out->kind = TUNE_PROGRAM_SCRATCH;
  if (!described->own.has_data)
    return TUNE_OK;
  size_t size = (size_t)described->own.data;
  if (size != out->size)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu bytes of data for a buffer of %zu", size,
                            out->size);
  out->kind = TUNE_PROGRAM_CONSTANT;
  out->is_read_only = true;
  return take(r, size, &out->data);
}

// What outputs are read from has to be there, and nothing twice.
static tune_status check_buffers(const reader *r) {
  const tune_program *program = r->program;
  for (size_t i = 0; i < program->buffer_count; ++i)
    for (size_t j = 0; j < i; ++j) {
      const tune_program_buffer *a = &program->buffers[i], *b = &program->buffers[j];
      if (a->kind == b->kind && a->index == b->index && a->kind <= TUNE_PROGRAM_RESULT)
        return tune_status_make(TUNE_INVALID_ARGUMENT, "buffers %zu and %zu are the same %s %zu", j,
                                i, a->kind == TUNE_PROGRAM_ARGUMENT ? "argument" : "result",
                                a->index);
    }
  for (size_t output = 0; output < tune_signature_output_count(r->signature); ++output) {
    char name[32];
    tune_signature_output_name(r->signature, output, name);
    if (tune_program_find_output(program, r->signature, output) == program->buffer_count)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "no buffer is %s, which is an output", name);
  }
  return TUNE_OK;
}

static tune_status read_buffers(const tune_described_buffers *buffers, reader *r) {
  r->program->buffers = calloc(buffers->count + 1, sizeof *r->program->buffers);
  if (!r->program->buffers)
    return tune_status_out_of_memory("reading buffers");
  r->program->buffer_count = buffers->count;
  for (size_t i = 0; i < buffers->count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        read_buffer(&buffers->items[i], r, &r->program->buffers[i]), "buffer %zu", i));
  return check_buffers(r);
}

//===- Steps ------------------------------------------------------------------------===//

static tune_status check_written(const reader *r, size_t buffer) {
  if (!r->program->buffers[buffer].is_read_only)
    return TUNE_OK;
  char name[32];
  tune_program_buffer_name(r->program, buffer, name);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "%s is written, but it is only to be read", name);
}

static tune_status read_texels(const char *format, tune_program_argument *out) {
  if (!format)
    return TUNE_OK;
  if (strcmp(format, TUNE_TEXELS_F32) == 0)
    out->kind = TUNE_PROGRAM_TEXEL_F32;
  else if (strcmp(format, TUNE_TEXELS_4F32) == 0)
    out->kind = TUNE_PROGRAM_TEXEL_4F32;
  else
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the texels are neither " TUNE_TEXELS_F32 " nor " TUNE_TEXELS_4F32);
  return out->is_written
             ? tune_status_make(TUNE_INVALID_ARGUMENT, "texels are written, but can only be read")
             : TUNE_OK;
}

static tune_status read_tensor_sizes(const tune_shape *numbers, const char *name, int64_t most,
                                     uint32_t *out_rank, uint32_t *out_sizes) {
  size_t count = numbers->count;
  if (!count || count > TUNE_PROGRAM_TENSOR_RANK || (*out_rank && count != *out_rank))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"%s\" has %zu numbers; a tensor map has 1 to %d, of each the same",
                            name, count, TUNE_PROGRAM_TENSOR_RANK);
  *out_rank = (uint32_t)count;
  for (size_t i = 0; i < count; ++i) {
    int64_t size = numbers->items[i];
    if (size < 1 || size > most)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\": expected numbers from 1 to %" PRId64,
                              name, most);
    out_sizes[i] = (uint32_t)size;
  }
  return TUNE_OK;
}

// Of the buffer `size` bytes; all of the tensor is in it.
static tune_status read_tensor_map(const tune_described_map *map, size_t size,
                                   tune_program_argument *out) {
  tune_program_tensor_map *read = &out->map;
  int64_t bytes = map->element_bytes, swizzle = map->swizzle;
  out->kind = TUNE_PROGRAM_TENSOR_MAP;
  TUNE_RETURN_IF_ERROR(
      read_tensor_sizes(&map->sizes, "sizes", INT32_MAX, &read->rank, read->sizes));
  TUNE_RETURN_IF_ERROR(read_tensor_sizes(&map->box, "box", 256, &read->rank, read->box));
  read->element_bytes = (uint32_t)bytes;
  read->swizzle = (uint32_t)swizzle;
  uint64_t all = read->element_bytes;
  for (uint32_t i = 0; i < read->rank && all <= size; ++i)
    all *= read->sizes[i];
  if (all > size || bytes == 3 || (swizzle && swizzle != 32 && swizzle != 64 && swizzle != 128))
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "a tensor map of elements of 1, 2 or 4 bytes that are all in the buffer "
        "of %zu bytes, swizzled by 0, 32, 64 or 128, was expected",
        size);
  return out->is_written ? tune_status_make(TUNE_INVALID_ARGUMENT,
                                            "a tensor map is written, but can only be read")
                         : TUNE_OK;
}

static tune_status read_argument(const tune_described_argument *described, const reader *r,
                                 tune_program_argument *out) {
  if (described->is_f32) {
    out->kind = TUNE_PROGRAM_F32;
    out->f32 = (float)described->f32.f32;
    return TUNE_OK;
  }
  if (described->is_i32) {
    out->kind = TUNE_PROGRAM_I32;
    out->i32 = (int32_t)described->i32.i32;
    return TUNE_OK;
  }
  if (!described->is_use)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is no buffer, and no f32 or i32");
  const tune_described_use *use = &described->use;
  out->kind = TUNE_PROGRAM_STORAGE;
  TUNE_RETURN_IF_ERROR(get_index("buffer", use->buffer, r->program->buffer_count, &out->buffer));
  out->is_written = use->written;
  if (out->is_written)
    TUNE_RETURN_IF_ERROR(check_written(r, out->buffer));
  if (use->has_map)
    return read_tensor_map(&use->tensor_map, r->program->buffers[out->buffer].size, out);
  return read_texels(use->texels, out);
}

static void get_three(const int64_t *values, uint32_t *out_values) {
  for (size_t i = 0; i < 3; ++i)
    out_values[i] = (uint32_t)values[i];
}

static tune_status read_arguments(const tune_described_arguments *arguments, const reader *r,
                                  tune_program_step *out) {
  size_t count = arguments->count;
  out->arguments = calloc(count + 1, sizeof *out->arguments);
  if (!out->arguments)
    return tune_status_out_of_memory("reading arguments");
  out->argument_count = count;
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        read_argument(&arguments->items[i], r, &out->arguments[i]), "argument %zu", i));
  return TUNE_OK;
}

static tune_status read_launch(const tune_described_launch *launch, const reader *r,
                               tune_program_step *out) {
  out->kind = TUNE_PROGRAM_LAUNCH;
  if (!*launch->launch)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the kernel has no name");
  out->entry = strdup(launch->launch);
  if (!out->entry)
    return tune_status_out_of_memory("reading a launch");
  TUNE_RETURN_IF_ERROR(get_index("module", launch->module, r->program->module_count, &out->module));
  if (r->program->modules[out->module].is_host)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "module %zu is the host's, not the device's",
                            out->module);
  get_three(launch->groups, out->groups);
  get_three(launch->group_size, out->group_size);
  out->shared_bytes = (size_t)launch->shared_bytes;
  out->subgroup_size = (uint32_t)launch->subgroup_size;
  return read_arguments(&launch->arguments, r, out);
}

static tune_status read_copy(const tune_described_copy *copy, const reader *r,
                             tune_program_step *out) {
  const tune_program *program = r->program;
  out->kind = TUNE_PROGRAM_COPY;
  TUNE_RETURN_IF_ERROR(get_index("buffer", copy->copy, program->buffer_count, &out->from));
  TUNE_RETURN_IF_ERROR(get_index("buffer", copy->to, program->buffer_count, &out->to));
  out->bytes = (size_t)copy->bytes;
  size_t from = program->buffers[out->from].size, to = program->buffers[out->to].size;
  if (out->from == out->to)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "buffer %zu is copied to itself", out->from);
  if (out->bytes == 0 || out->bytes > from || out->bytes > to)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%zu bytes are copied from a buffer of %zu to one of %zu", out->bytes,
                            from, to);
  return check_written(r, out->to);
}

static tune_status read_branch(const tune_described_branch *branch, size_t step_count,
                               const reader *r, tune_program_step *out) {
  const tune_program *program = r->program;
  out->kind = TUNE_PROGRAM_BRANCH;
  r->program->has_stops = true;
  out->has_condition = branch->has_unless;
  TUNE_RETURN_IF_ERROR(get_index("step", branch->branch, step_count + 1, &out->target));
  if (!branch->has_unless)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(get_index("buffer", branch->unless, program->buffer_count, &out->from));
  size_t size = program->buffers[out->from].size;
  return size >= TUNE_PROGRAM_CONDITION_BYTES
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT,
                                "a branch by a buffer of %zu bytes, where %d are read", size,
                                TUNE_PROGRAM_CONDITION_BYTES);
}

static tune_status read_host(const tune_described_host *host, const reader *r,
                             tune_program_step *out) {
  out->kind = TUNE_PROGRAM_HOST;
  r->program->has_stops = true;
  TUNE_RETURN_IF_ERROR(get_index("module", host->host, r->program->module_count, &out->module));
  if (!r->program->modules[out->module].is_host)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "module %zu is not the host's", out->module);
  TUNE_RETURN_IF_ERROR(read_arguments(&host->arguments, r, out));
  for (size_t i = 0; i < out->argument_count; ++i)
    if (out->arguments[i].kind != TUNE_PROGRAM_STORAGE)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "argument %zu: the host is handed buffers alone", i);
  return TUNE_OK;
}

static tune_status read_step(const tune_described_step *step, size_t step_count, const reader *r,
                             tune_program_step *out) {
  if (step->is_copy)
    return read_copy(&step->copy, r, out);
  if (step->is_launch)
    return read_launch(&step->launch, r, out);
  if (step->is_branch)
    return read_branch(&step->branch, step_count, r, out);
  if (step->is_host)
    return read_host(&step->host, r, out);
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "it is no launch, no copy, no branch and not the host's");
}

static tune_status read_steps(const tune_described_steps *steps, reader *r) {
  r->program->steps = calloc(steps->count + 1, sizeof *r->program->steps); // there may be none
  if (!r->program->steps)
    return tune_status_out_of_memory("reading steps");
  r->program->step_count = steps->count;
  for (size_t i = 0; i < steps->count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        read_step(&steps->items[i], steps->count, r, &r->program->steps[i]), "step %zu", i));
  return TUNE_OK;
}

//===- The file ---------------------------------------------------------------------===//

static tune_status read_described(const tune_described_program *described, const char *target,
                                  reader *r) {
  if (strcmp(described->target, target) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is for the target '%s', not '%s'",
                            described->target, target);
  r->program->is_unordered = described->unordered;
  TUNE_RETURN_IF_ERROR(read_modules(&described->modules, target, r));
  TUNE_RETURN_IF_ERROR(read_buffers(&described->buffers, r));
  TUNE_RETURN_IF_ERROR(read_steps(&described->steps, r));
  if (r->left)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu bytes are left at its end", r->left);
  return TUNE_OK;
}

static tune_status read_all(const json_t *object, const char *target, reader *r) {
  tune_described_program described;
  TUNE_RETURN_IF_ERROR(tune_described_program_from_json(object, &described));
  tune_status status = read_described(&described, target, r);
  tune_described_program_deinit(&described);
  return status;
}

tune_status tune_program_parse(const void *bytes, size_t size, const char *target,
                               const tune_signature *signature, tune_program *out_program) {
  *out_program = (tune_program){0};
  reader r = {.at = bytes, .left = size, .signature = signature, .program = out_program};
  json_t *object = NULL;
  TUNE_RETURN_IF_ERROR(tune_status_annotate(tune_program_head_take(&r.at, &r.left, &object),
                                            "not a device program"));
  tune_status status = read_all(object, target, &r);
  json_decref(object);
  if (!tune_status_is_ok(status))
    tune_program_deinit(out_program);
  return tune_status_annotate(status, "not a device program");
}

tune_status tune_program_read(const char *path, const char *target, const tune_signature *signature,
                              tune_program *out_program) {
  *out_program = (tune_program){0};
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &bytes, &size));
  tune_status status = tune_program_parse(bytes, size, target, signature, out_program);
  free(bytes);
  return tune_status_annotate(status, "%s", path);
}

void tune_program_deinit(tune_program *program) {
  for (size_t i = 0; i < program->module_count; ++i)
    free(program->modules[i].code);
  for (size_t i = 0; i < program->buffer_count; ++i)
    free(program->buffers[i].data);
  for (size_t i = 0; i < program->step_count; ++i) {
    free(program->steps[i].entry);
    free(program->steps[i].arguments);
  }
  free(program->modules);
  free(program->buffers);
  free(program->steps);
  *program = (tune_program){0};
}

size_t tune_program_find_output(const tune_program *program, const tune_signature *signature,
                                size_t output) {
  size_t index, buffer = 0;
  size_t argument = tune_signature_output_argument(signature, output, &index);
  tune_program_buffer_kind kind = TUNE_PROGRAM_RESULT;
  if (argument != SIZE_MAX) {
    kind = TUNE_PROGRAM_ARGUMENT;
    index = argument;
  }
  while (buffer < program->buffer_count &&
         (program->buffers[buffer].kind != kind || program->buffers[buffer].index != index))
    ++buffer;
  return buffer;
}

size_t tune_program_find_stop(const tune_program *program, size_t first) {
  while (first < program->step_count && program->steps[first].kind != TUNE_PROGRAM_BRANCH &&
         program->steps[first].kind != TUNE_PROGRAM_HOST)
    ++first;
  return first;
}

void tune_program_buffer_name(const tune_program *program, size_t buffer, char out_name[32]) {
  const tune_program_buffer *of = &program->buffers[buffer];
  if (of->kind == TUNE_PROGRAM_ARGUMENT || of->kind == TUNE_PROGRAM_RESULT)
    snprintf(out_name, 32, "%s %zu", of->kind == TUNE_PROGRAM_ARGUMENT ? "argument" : "result",
             of->index);
  else
    snprintf(out_name, 32, "buffer %zu", buffer);
}
