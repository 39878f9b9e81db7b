//===- json.c -----------------------------------------------------------------===//

#include "support/json.h"

#include "support/string_builder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A token that jansson has no memory for loses a byte, without a word; that the allocator failed is
// in errno, until a number is converted, which clears it. So jansson gets its text in pieces that
// begin and end where a number may, and errno is looked at before each of them.
typedef struct source {
  const char *bytes;
  size_t size;
  bool lacked_memory;
} source;

static bool may_be_of_number(char c) { return (c >= '0' && c <= '9') || (c && strchr("+-.eE", c)); }

static size_t give_piece(void *buffer, size_t capacity, void *user) {
  source *from = user;
  from->lacked_memory |= errno == ENOMEM;
  if (!from->size)
    return 0;
  size_t length = 0;
  while (length < from->size && length < capacity &&
         may_be_of_number(from->bytes[length]) == may_be_of_number(from->bytes[0]))
    ++length;
  memcpy(buffer, from->bytes, length);
  from->bytes += length;
  from->size -= length;
  return length;
}

json_t *tune_json_load(const char *bytes, size_t size, json_error_t *error) {
  source from = {bytes, size, false};
  errno = 0;
  json_t *object = json_load_callback(give_piece, &from, JSON_REJECT_DUPLICATES, error);
  if (errno != ENOMEM && !from.lacked_memory)
    return object;
  json_decref(object);
  snprintf(error->text, sizeof error->text, "out of memory");
  error->text[sizeof error->text - 1] = (char)json_error_out_of_memory;
  return NULL;
}

tune_status tune_json_load_kept(const char *text, const char *what, json_t **out_object) {
  json_error_t error;
  *out_object = tune_json_load(text, strlen(text), &error);
  if (*out_object)
    return TUNE_OK;
  if (tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading %s", what);
  return tune_status_make(TUNE_DATA_LOSS, "%s that is not JSON any more: %s", what, error.text);
}

bool tune_json_lacks_memory(const json_error_t *error) {
  return json_error_code(error) == json_error_out_of_memory;
}

json_t *tune_json_pack(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  errno = 0;
  json_t *value = json_vpack_ex(NULL, 0, format, arguments);
  va_end(arguments);
  if (errno != ENOMEM)
    return value;
  json_decref(value);
  return NULL;
}

// A builder remembers that one of its appends failed, which jansson does not ask of each.
static int append(const char *bytes, size_t size, void *user) {
  tune_string_builder *text = user;
  tune_string_builder_append_bytes(text, bytes, size);
  return text->failed ? -1 : 0;
}

char *tune_json_dump(const json_t *value, size_t flags) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  if (json_dump_callback(value, append, &builder, flags) != 0)
    builder.failed = true;
  char *text;
  tune_status_free(tune_string_builder_finish(&builder, &text));
  return text;
}

tune_status tune_json_digest(const json_t *value, tune_digest *out_digest) {
  char *text = tune_json_dump(value, JSON_COMPACT | JSON_SORT_KEYS);
  if (!text)
    return tune_status_out_of_memory("the digest of a JSON value");
  *out_digest = tune_digest_of_bytes(text, strlen(text));
  free(text);
  return TUNE_OK;
}

void tune_json_append_text(json_t *texts, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  json_array_append_new(texts, json_vsprintf(format, arguments));
  va_end(arguments);
}
