//===- program_files.c --------------------------------------------------------===//

#include "tools/common/program_files.h"

#include "formats/device_program.h"
#include "support/file.h"
#include "support/json.h"
#include "support/program_head.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct program {
  json_t *object;                     // its description,
  tune_described_program description; // and as it was read
  const char *rest;                   // code of the modules, then data
  size_t rest_size;
} program;

static tune_status damaged(const char *how) {
  return tune_status_make(TUNE_DATA_LOSS, "this is no device program: %s", how);
}

static void program_deinit(program *p) {
  tune_described_program_deinit(&p->description);
  json_decref(p->object);
}

static tune_status read_program(const char *bytes, size_t size, program *out) {
  *out = (program){.rest = bytes, .rest_size = size};
  tune_status status = tune_program_head_take(&out->rest, &out->rest_size, &out->object);
  if (tune_status_is_ok(status))
    status = tune_described_program_from_json(out->object, &out->description);
  if (tune_status_is_ok(status))
    return TUNE_OK;
  program_deinit(out);
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status lost = damaged(tune_status_get_message(status));
  tune_status_free(status);
  return lost;
}

// "out/k.spv" and 1 give "out/k.1.spv".
static tune_status name_module(const char *output, size_t index, char **out_path) {
  const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
  const char *dot = strrchr(name, '.');
  size_t stem = dot && dot != name ? (size_t)(dot - output) : strlen(output);
  tune_string_builder path;
  tune_string_builder_init(&path);
  tune_string_builder_append_bytes(&path, output, stem);
  tune_string_builder_appendf(&path, ".%zu%s", index, output + stem);
  tune_status status = tune_string_builder_finish(&path, out_path);
  tune_string_builder_deinit(&path);
  return status;
}

static tune_status write_beside(const char *output, const char *ending, const char *bytes,
                                size_t size) {
  tune_string_builder path;
  tune_string_builder_init(&path);
  tune_string_builder_appendf(&path, "%s%s", output, ending);
  tune_status status = path.failed ? tune_status_out_of_memory("naming files")
                                   : tune_file_write(path.text, bytes, size);
  tune_string_builder_deinit(&path);
  return status;
}

static tune_status write_module(const char *output, size_t count, size_t index, const char *bytes,
                                size_t size) {
  if (count == 1)
    return tune_file_write(output, bytes, size);
  char *path;
  TUNE_RETURN_IF_ERROR(name_module(output, index, &path));
  tune_status status = tune_file_write(path, bytes, size);
  free(path);
  return status;
}

// Leaves in `p->rest` what follows the modules.
static tune_status write_modules(program *p, const char *output) {
  size_t count = p->description.modules.count;
  for (size_t i = 0; i < count; ++i) {
    int64_t bytes = p->description.modules.items[i].bytes;
    if ((uint64_t)bytes > p->rest_size)
      return damaged("it is cut off");
    // PTX has a NUL at its end, which is none of a text's.
    size_t text = strnlen(p->rest, (size_t)bytes), is_text = text + 1 == (size_t)bytes;
    TUNE_RETURN_IF_ERROR(
        write_module(output, count, i, p->rest, is_text && text ? text : (size_t)bytes));
    p->rest += bytes;
    p->rest_size -= (size_t)bytes;
  }
  return TUNE_OK;
}

static tune_status write_description(const program *p, const char *output) {
  char *text = tune_json_dump(p->object, JSON_INDENT(1));
  if (!text)
    return tune_status_out_of_memory("describing a program");
  tune_status status = write_beside(output, ".json", text, strlen(text));
  free(text);
  return status;
}

//===- What was there before ---------------------------------------------------===//

// How many modules the program had that was written to `output` before; 0: none was, or its
// description is gone.
static tune_status count_earlier(const char *output, size_t *out_count) {
  *out_count = 0;
  char *path;
  if (asprintf(&path, "%s.json", output) < 0)
    return tune_status_out_of_memory("naming files");
  char *text;
  size_t size;
  tune_status status = tune_file_read(path, &text, &size);
  free(path);
  if (!tune_status_is_ok(status)) {
    if (tune_status_get_code(status) != TUNE_NOT_FOUND)
      return status;
    tune_status_free(status);
    return TUNE_OK;
  }
  json_error_t error;
  json_t *object = tune_json_load(text, size, &error);
  free(text);
  if (!object)
    return tune_json_lacks_memory(&error) ? tune_status_out_of_memory("reading a description")
                                          : TUNE_OK;
  tune_described_program earlier;
  status = tune_described_program_from_json(object, &earlier);
  if (tune_status_is_ok(status)) {
    *out_count = earlier.modules.count;
    tune_described_program_deinit(&earlier);
  } else if (tune_status_get_code(status) != TUNE_OUT_OF_MEMORY) {
    // Somebody else's, and of what it tells no file is ours to remove.
    tune_status_free(status);
    status = TUNE_OK;
  }
  json_decref(object);
  return status;
}

// Removes what is there and was written before, but not this time: of `earlier` modules, where
// there are `count` now, and constants, where it has none.
static tune_status remove_stale(const char *output, size_t earlier, size_t count, bool has_data) {
  char *path;
  if (earlier == 1 && count != 1)
    unlink(output);
  for (size_t i = count == 1 ? 0 : count; i < earlier && earlier > 1; ++i) {
    TUNE_RETURN_IF_ERROR(name_module(output, i, &path));
    unlink(path);
    free(path);
  }
  if (!earlier || has_data)
    return TUNE_OK;
  if (asprintf(&path, "%s.data", output) < 0)
    return tune_status_out_of_memory("naming files");
  unlink(path);
  free(path);
  return TUNE_OK;
}

//===- The whole ----------------------------------------------------------------===//

// The description comes last: as long as it is the old one, it tells what is stale.
static tune_status write_all(program *p, const char *output) {
  size_t earlier = 0, count = p->description.modules.count;
  TUNE_RETURN_IF_ERROR(count_earlier(output, &earlier));
  TUNE_RETURN_IF_ERROR(write_modules(p, output));
  if (p->rest_size > 0)
    TUNE_RETURN_IF_ERROR(write_beside(output, ".data", p->rest, p->rest_size));
  TUNE_RETURN_IF_ERROR(remove_stale(output, earlier, count, p->rest_size > 0));
  return write_description(p, output);
}

tune_status tune_program_files_write(const char *bytes, size_t size, const char *output) {
  program p;
  TUNE_RETURN_IF_ERROR(read_program(bytes, size, &p));
  tune_status status = write_all(&p, output);
  program_deinit(&p);
  return status;
}
