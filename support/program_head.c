//===- program_head.c - The head of a device program's file ------------------===//

#include "support/program_head.h"

#include "support/json.h"

#include <string.h>

#define MAGIC "TUNEPRG1"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define HEAD_SIZE (MAGIC_SIZE + 4) // and the length of the JSON, little-endian

tune_status tune_program_head_take(const char **bytes, size_t *size, json_t **out_object) {
  *out_object = NULL;
  if (*size < HEAD_SIZE || memcmp(*bytes, MAGIC, MAGIC_SIZE) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it does not begin with " MAGIC " and a length");
  size_t length = 0;
  for (size_t i = HEAD_SIZE; i-- > MAGIC_SIZE;)
    length = length << 8 | (unsigned char)(*bytes)[i];
  if (length > *size - HEAD_SIZE)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu bytes of JSON are said to be in its %zu",
                            length, *size);
  json_error_t error;
  *out_object = tune_json_load(*bytes + HEAD_SIZE, length, &error);
  if (!*out_object && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading its JSON");
  if (!*out_object)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "its JSON: %s", error.text);
  *bytes += HEAD_SIZE + length;
  *size -= HEAD_SIZE + length;
  return TUNE_OK;
}

void tune_program_head_append(tune_string_builder *program, const char *text) {
  size_t length = strlen(text);
  tune_string_builder_append(program, MAGIC);
  for (size_t i = 0; i < HEAD_SIZE - MAGIC_SIZE; ++i) {
    char byte = (char)(length >> (8 * i) & 0xff);
    tune_string_builder_append_bytes(program, &byte, 1);
  }
  tune_string_builder_append(program, text);
}
