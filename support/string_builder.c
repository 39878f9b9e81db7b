//===- string_builder.c -------------------------------------------------------===//

#include "support/string_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tune_string_builder_init(tune_string_builder *builder) { *builder = (tune_string_builder){0}; }

void tune_string_builder_deinit(tune_string_builder *builder) {
  free(builder->text);
  *builder = (tune_string_builder){0};
}

// Makes room for `extra` more bytes and the final NUL.
static bool reserve(tune_string_builder *builder, size_t extra) {
  if (builder->failed)
    return false;
  size_t needed = builder->length + extra + 1;
  if (needed <= builder->capacity)
    return true;
  size_t capacity = builder->capacity ? builder->capacity : 64;
  while (capacity < needed)
    capacity *= 2;
  char *text = realloc(builder->text, capacity);
  if (!text) {
    builder->failed = true;
    return false;
  }
  builder->text = text;
  builder->capacity = capacity;
  return true;
}

void tune_string_builder_append_bytes(tune_string_builder *builder, const char *bytes,
                                      size_t length) {
  if (!reserve(builder, length))
    return;
  if (length)
    memcpy(builder->text + builder->length, bytes, length);
  builder->length += length;
  builder->text[builder->length] = '\0';
}

void tune_string_builder_append(tune_string_builder *builder, const char *text) {
  tune_string_builder_append_bytes(builder, text, strlen(text));
}

void tune_string_builder_appendf(tune_string_builder *builder, const char *format, ...) {
  va_list arguments, copy;
  va_start(arguments, format);
  va_copy(copy, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0)
    builder->failed = true;
  else if (reserve(builder, (size_t)length)) {
    vsnprintf(builder->text + builder->length, (size_t)length + 1, format, copy);
    builder->length += (size_t)length;
  }
  va_end(copy);
}

tune_status tune_string_builder_finish(tune_string_builder *builder, char **out_text) {
  *out_text = NULL;
  // An empty text is a text too.
  tune_string_builder_append_bytes(builder, "", 0);
  if (builder->failed) {
    tune_string_builder_deinit(builder);
    return tune_status_out_of_memory("out of memory while building text");
  }
  *out_text = builder->text;
  *builder = (tune_string_builder){0};
  return TUNE_OK;
}
