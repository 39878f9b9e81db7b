//===- program_file.c - Device programs for tests ------------------------------------------===//

#include "unittests/common/program_file.h"
#include "support/file.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse(const char *json) {
  char *text = strdup(json);
  assert_non_null(text);
  for (char *at = text; *at; ++at)
    if (*at == '\'')
      *at = '"';
  json_error_t error;
  json_t *object = json_loads(text, 0, &error);
  if (!object)
    print_error("%s in %s\n", error.text, text);
  assert_non_null(object);
  free(text);
  return object;
}

static bool is_ptx(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".ptx") == 0;
}

void program_file_write(const char *path, const char *json, const char *const *modules,
                        const void *data, size_t data_size) {
  json_t *object = parse(json), *sizes = json_array();
  tune_string_builder code, file;
  tune_string_builder_init(&code);
  tune_string_builder_init(&file);
  for (; *modules; ++modules) {
    char *bytes;
    size_t size;
    assert_null(tune_file_read(*modules, &bytes, &size));
    size += is_ptx(*modules); // with the NUL that follows what was read
    tune_string_builder_append_bytes(&code, bytes, size);
    json_array_append_new(sizes, json_pack("{sI}", "bytes", (json_int_t)size));
    free(bytes);
  }
  json_object_set_new(object, "version", json_integer(1));
  json_object_set_new(object, "modules", sizes);
  char *text = json_dumps(object, JSON_COMPACT);
  assert_non_null(text);
  uint32_t length = (uint32_t)strlen(text);
  const char bytes[4] = {(char)length, (char)(length >> 8), (char)(length >> 16),
                         (char)(length >> 24)};
  tune_string_builder_append(&file, "TUNEPRG1");
  tune_string_builder_append_bytes(&file, bytes, sizeof bytes);
  tune_string_builder_append(&file, text);
  if (code.length)
    tune_string_builder_append_bytes(&file, code.text, code.length);
  if (data_size)
    tune_string_builder_append_bytes(&file, data, data_size);
  assert_false(code.failed || file.failed);
  assert_null(tune_file_write(path, file.text, file.length));
  tune_string_builder_deinit(&code);
  tune_string_builder_deinit(&file);
  free(text);
  json_decref(object);
}
