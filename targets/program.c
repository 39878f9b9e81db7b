//===- program.c - Reading device programs -----------------------------------===//

#include "targets/program.h"
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

//===- Members of the JSON ----------------------------------------------------------===//

static tune_status get_number(const json_t *object, const char *name, int64_t least, int64_t most,
                              int64_t *out_value) {
  const json_t *member = json_object_get(object, name);
  *out_value = 0;
  if (!member)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\" is missing", name);
  if (!json_is_integer(member) || json_integer_value(member) < least ||
      json_integer_value(member) > most)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"%s\" is no integer from %" PRId64 " to %" PRId64, name, least, most);
  *out_value = json_integer_value(member);
  return TUNE_OK;
}

static tune_status get_size(const json_t *object, const char *name, size_t *out_value) {
  int64_t value;
  TUNE_RETURN_IF_ERROR(get_number(object, name, 0, INT64_MAX, &value));
  *out_value = (size_t)value;
  return TUNE_OK;
}

// An index into `count` things.
static tune_status get_index(const json_t *object, const char *name, size_t count,
                             size_t *out_value) {
  if (count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\" is out of range, there is none", name);
  int64_t value;
  TUNE_RETURN_IF_ERROR(get_number(object, name, 0, (int64_t)count - 1, &value));
  *out_value = (size_t)value;
  return TUNE_OK;
}

static tune_status get_array(const json_t *object, const char *name, const json_t **out_array) {
  *out_array = json_object_get(object, name);
  return json_is_array(*out_array)
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\" is missing or no array", name);
}

static tune_status get_three(const json_t *object, const char *name, uint32_t *out_values) {
  const json_t *array = json_object_get(object, name);
  bool is_right = json_array_size(array) == 3;
  for (size_t i = 0; i < 3 && is_right; ++i) {
    const json_t *value = json_array_get(array, i);
    is_right = json_is_integer(value) && json_integer_value(value) >= 1 &&
               json_integer_value(value) <= UINT32_MAX;
    out_values[i] = is_right ? (uint32_t)json_integer_value(value) : 0;
  }
  return is_right ? TUNE_OK
                  : tune_status_make(TUNE_INVALID_ARGUMENT,
                                     "\"%s\" is no array of three positive integers", name);
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

static tune_status read_jit_options(const json_t *object, const char *target,
                                    tune_program_module *out) {
  static const char *const CACHES[] = {"default", "cg", "ca"};
  const json_t *cache = json_object_get(object, "load_cache");
  int64_t level = 0;
  if (json_object_get(object, "opt_level"))
    TUNE_RETURN_IF_ERROR(get_number(object, "opt_level", 1, 4, &level));
  out->opt_level = (uint32_t)level;
  if ((cache || level) && strcmp(target, "cuda") != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"opt_level\" and \"load_cache\" are for the target 'cuda'");
  if (!cache)
    return TUNE_OK;
  const char *name = json_string_value(cache);
  for (size_t i = 0; name && i < sizeof CACHES / sizeof *CACHES; ++i)
    if (strcmp(CACHES[i], name) == 0) {
      out->load_cache = (tune_program_load_cache)i;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "\"load_cache\" is none of \"default\", \"cg\", \"ca\"");
}

static tune_status read_modules(const json_t *object, const char *target, reader *r) {
  const json_t *array;
  TUNE_RETURN_IF_ERROR(get_array(object, "modules", &array));
  size_t count = json_array_size(array);
  r->program->modules = calloc(count + 1, sizeof *r->program->modules);
  if (!r->program->modules)
    return tune_status_out_of_memory("reading modules");
  r->program->module_count = count;
  for (size_t i = 0; i < count; ++i) {
    tune_program_module *module = &r->program->modules[i];
    tune_status status = get_size(json_array_get(array, i), "bytes", &module->size);
    if (tune_status_is_ok(status))
      status = read_jit_options(json_array_get(array, i), target, module);
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

static tune_status read_buffer(const json_t *object, reader *r, tune_program_buffer *out) {
  const tune_signature *signature = r->signature;
  if (json_object_get(object, "argument")) {
    out->kind = TUNE_PROGRAM_ARGUMENT;
    TUNE_RETURN_IF_ERROR(get_index(object, "argument", signature->argument_count, &out->index));
    const tune_value_type *type = &signature->arguments[out->index];
    out->is_read_only = !type->is_readwrite;
    return size_of_value(type, &out->size);
  }
  if (json_object_get(object, "result")) {
    out->kind = TUNE_PROGRAM_RESULT;
    TUNE_RETURN_IF_ERROR(get_index(object, "result", signature->result_count, &out->index));
    return size_of_value(&signature->results[out->index], &out->size);
  }
  TUNE_RETURN_IF_ERROR(get_size(object, "bytes", &out->size));
  out->kind = TUNE_PROGRAM_SCRATCH;
  if (!json_object_get(object, "data"))
    return TUNE_OK;
  size_t size;
  TUNE_RETURN_IF_ERROR(get_size(object, "data", &size));
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

static tune_status read_buffers(const json_t *object, reader *r) {
  const json_t *array;
  TUNE_RETURN_IF_ERROR(get_array(object, "buffers", &array));
  size_t count = json_array_size(array);
  r->program->buffers = calloc(count + 1, sizeof *r->program->buffers);
  if (!r->program->buffers)
    return tune_status_out_of_memory("reading buffers");
  r->program->buffer_count = count;
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        read_buffer(json_array_get(array, i), r, &r->program->buffers[i]), "buffer %zu", i));
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

static tune_status read_texels(const json_t *object, tune_program_argument *out) {
  const json_t *texels = json_object_get(object, "texels");
  if (!texels)
    return TUNE_OK;
  const char *format = json_string_value(texels);
  if (format && strcmp(format, "r32f") == 0)
    out->kind = TUNE_PROGRAM_TEXEL_F32;
  else if (format && strcmp(format, "rgba32f") == 0)
    out->kind = TUNE_PROGRAM_TEXEL_4F32;
  else
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"texels\" is neither r32f nor rgba32f");
  return out->is_written
             ? tune_status_make(TUNE_INVALID_ARGUMENT, "texels are written, but can only be read")
             : TUNE_OK;
}

static tune_status read_tensor_sizes(const json_t *map, const char *name, int64_t most,
                                     uint32_t *out_rank, uint32_t *out_sizes) {
  const json_t *array;
  TUNE_RETURN_IF_ERROR(get_array(map, name, &array));
  size_t count = json_array_size(array);
  if (!count || count > TUNE_PROGRAM_TENSOR_RANK || (*out_rank && count != *out_rank))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"%s\" has %zu numbers; a tensor map has 1 to %d, of each the same",
                            name, count, TUNE_PROGRAM_TENSOR_RANK);
  *out_rank = (uint32_t)count;
  for (size_t i = 0; i < count; ++i) {
    json_int_t size = json_integer_value(json_array_get(array, i));
    if (size < 1 || size > most)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\": expected numbers from 1 to %" PRId64,
                              name, most);
    out_sizes[i] = (uint32_t)size;
  }
  return TUNE_OK;
}

// Of the buffer `size` bytes; all of the tensor is in it.
static tune_status read_tensor_map(const json_t *map, size_t size, tune_program_argument *out) {
  tune_program_tensor_map *read = &out->map;
  int64_t bytes, swizzle;
  out->kind = TUNE_PROGRAM_TENSOR_MAP;
  TUNE_RETURN_IF_ERROR(get_number(map, "element_bytes", 1, 4, &bytes));
  TUNE_RETURN_IF_ERROR(get_number(map, "swizzle", 0, 128, &swizzle));
  TUNE_RETURN_IF_ERROR(read_tensor_sizes(map, "sizes", INT32_MAX, &read->rank, read->sizes));
  TUNE_RETURN_IF_ERROR(read_tensor_sizes(map, "box", 256, &read->rank, read->box));
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

static tune_status read_argument(const json_t *object, const reader *r,
                                 tune_program_argument *out) {
  const json_t *f32 = json_object_get(object, "f32");
  if (f32) {
    out->kind = TUNE_PROGRAM_F32;
    out->f32 = (float)json_number_value(f32);
    return json_is_number(f32) ? TUNE_OK
                               : tune_status_make(TUNE_INVALID_ARGUMENT, "\"f32\" is no number");
  }
  if (json_object_get(object, "i32")) {
    int64_t value;
    TUNE_RETURN_IF_ERROR(get_number(object, "i32", INT32_MIN, INT32_MAX, &value));
    out->kind = TUNE_PROGRAM_I32;
    out->i32 = (int32_t)value;
    return TUNE_OK;
  }
  out->kind = TUNE_PROGRAM_STORAGE;
  TUNE_RETURN_IF_ERROR(get_index(object, "buffer", r->program->buffer_count, &out->buffer));
  const json_t *written = json_object_get(object, "written");
  if (written && !json_is_boolean(written))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"written\" is no boolean");
  out->is_written = json_is_true(written);
  if (out->is_written)
    TUNE_RETURN_IF_ERROR(check_written(r, out->buffer));
  const json_t *map = json_object_get(object, "tensor_map");
  if (map)
    return read_tensor_map(map, r->program->buffers[out->buffer].size, out);
  return read_texels(object, out);
}

static tune_status read_launch(const json_t *object, const reader *r, tune_program_step *out) {
  out->kind = TUNE_PROGRAM_LAUNCH;
  const char *entry = json_string_value(json_object_get(object, "launch"));
  if (!entry || !*entry)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"launch\" is no name");
  out->entry = strdup(entry);
  if (!out->entry)
    return tune_status_out_of_memory("reading a launch");
  TUNE_RETURN_IF_ERROR(get_index(object, "module", r->program->module_count, &out->module));
  TUNE_RETURN_IF_ERROR(get_three(object, "groups", out->groups));
  TUNE_RETURN_IF_ERROR(get_three(object, "group_size", out->group_size));
  TUNE_RETURN_IF_ERROR(get_size(object, "shared_bytes", &out->shared_bytes));
  int64_t subgroup_size;
  TUNE_RETURN_IF_ERROR(get_number(object, "subgroup_size", 0, 1024, &subgroup_size));
  out->subgroup_size = (uint32_t)subgroup_size;
  const json_t *array;
  TUNE_RETURN_IF_ERROR(get_array(object, "arguments", &array));
  size_t count = json_array_size(array);
  out->arguments = calloc(count + 1, sizeof *out->arguments);
  if (!out->arguments)
    return tune_status_out_of_memory("reading a launch");
  out->argument_count = count;
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        read_argument(json_array_get(array, i), r, &out->arguments[i]), "argument %zu", i));
  return TUNE_OK;
}

static tune_status read_copy(const json_t *object, const reader *r, tune_program_step *out) {
  const tune_program *program = r->program;
  out->kind = TUNE_PROGRAM_COPY;
  TUNE_RETURN_IF_ERROR(get_index(object, "copy", program->buffer_count, &out->from));
  TUNE_RETURN_IF_ERROR(get_index(object, "to", program->buffer_count, &out->to));
  TUNE_RETURN_IF_ERROR(get_size(object, "bytes", &out->bytes));
  size_t from = program->buffers[out->from].size, to = program->buffers[out->to].size;
  if (out->from == out->to)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "buffer %zu is copied to itself", out->from);
  if (out->bytes == 0 || out->bytes > from || out->bytes > to)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%zu bytes are copied from a buffer of %zu to one of %zu", out->bytes,
                            from, to);
  return check_written(r, out->to);
}

static tune_status read_steps(const json_t *object, reader *r) {
  const json_t *array;
  TUNE_RETURN_IF_ERROR(get_array(object, "steps", &array));
  size_t count = json_array_size(array);
  r->program->steps = calloc(count + 1, sizeof *r->program->steps); // there may be none
  if (!r->program->steps)
    return tune_status_out_of_memory("reading steps");
  r->program->step_count = count;
  for (size_t i = 0; i < count; ++i) {
    const json_t *step = json_array_get(array, i);
    tune_status status = json_object_get(step, "copy")
                             ? read_copy(step, r, &r->program->steps[i])
                             : read_launch(step, r, &r->program->steps[i]);
    TUNE_RETURN_IF_ERROR(tune_status_annotate(status, "step %zu", i));
  }
  return TUNE_OK;
}

//===- The file ---------------------------------------------------------------------===//

static tune_status check_head(const json_t *object, const char *target) {
  int64_t version;
  TUNE_RETURN_IF_ERROR(get_number(object, "version", INT64_MIN, INT64_MAX, &version));
  if (version != TUNE_PROGRAM_VERSION)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "it is of version %" PRId64 ", this program reads version %d", version,
                            TUNE_PROGRAM_VERSION);
  const char *found = json_string_value(json_object_get(object, "target"));
  if (!found || strcmp(found, target) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is for the target '%s', not '%s'",
                            found ? found : "", target);
  return TUNE_OK;
}

static tune_status read_all(const json_t *object, const char *target, reader *r) {
  TUNE_RETURN_IF_ERROR(check_head(object, target));
  const json_t *unordered = json_object_get(object, "unordered");
  if (unordered && !json_is_boolean(unordered))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"unordered\" is no boolean");
  r->program->is_unordered = json_is_true(unordered);
  TUNE_RETURN_IF_ERROR(read_modules(object, target, r));
  TUNE_RETURN_IF_ERROR(read_buffers(object, r));
  TUNE_RETURN_IF_ERROR(read_steps(object, r));
  if (r->left)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu bytes are left at its end", r->left);
  return TUNE_OK;
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

void tune_program_buffer_name(const tune_program *program, size_t buffer, char out_name[32]) {
  const tune_program_buffer *of = &program->buffers[buffer];
  if (of->kind == TUNE_PROGRAM_ARGUMENT || of->kind == TUNE_PROGRAM_RESULT)
    snprintf(out_name, 32, "%s %zu", of->kind == TUNE_PROGRAM_ARGUMENT ? "argument" : "result",
             of->index);
  else
    snprintf(out_name, 32, "buffer %zu", buffer);
}
