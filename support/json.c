//===- json.c -----------------------------------------------------------------===//

#include "support/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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

bool tune_json_lacks_memory(const json_error_t *error) {
  return json_error_code(error) == json_error_out_of_memory;
}

void tune_json_append_text(json_t *texts, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  json_array_append_new(texts, json_vsprintf(format, arguments));
  va_end(arguments);
}
