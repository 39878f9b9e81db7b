//===- string_builder.h - Text that grows ---------------------------------------===//
//
// Appends never report failure one by one: a builder that ran out of memory remembers
// it, ignores what follows, and says so once, in tune_string_builder_finish.
//
// Threads: one thread at a time per builder.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_STRING_BUILDER_H
#define TUNE_SUPPORT_STRING_BUILDER_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_string_builder {
  char *text; // NUL-terminated once anything was appended, else NULL
  size_t length;
  size_t capacity;
  bool failed;
} tune_string_builder;

void tune_string_builder_init(tune_string_builder *builder);
void tune_string_builder_deinit(tune_string_builder *builder);

void tune_string_builder_append(tune_string_builder *builder, const char *text);
void tune_string_builder_append_bytes(tune_string_builder *builder, const char *bytes,
                                      size_t length);
void tune_string_builder_appendf(tune_string_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Hands over the text (never NULL on success, free() it) and leaves `builder` empty, ready for
// use again. OUT_OF_MEMORY if any append failed since the last init or finish.
tune_status tune_string_builder_finish(tune_string_builder *builder, char **out_text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_STRING_BUILDER_H
