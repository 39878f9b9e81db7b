//===- json.h - Reading JSON ------------------------------------------------------===//
//
// jansson takes a lack of memory within a text for a fault of the text, or even loses a byte of a
// string without a word. Who blames a file or a peer has to know which it was.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_JSON_H
#define TUNE_SUPPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// An object or array in which no name is there twice: a new reference. NULL where the text is
// something else, as `error` says, or where memory ran out.
json_t *tune_json_load(const char *bytes, size_t size, json_error_t *error);

// Appends a text to `texts`, an array of remarks for people. Where memory runs out it is left out.
__attribute__((format(printf, 2, 3))) void tune_json_append_text(json_t *texts, const char *format,
                                                                 ...);

// Whether `error`, of a load or an unpack that failed, is that memory ran out.
bool tune_json_lacks_memory(const json_error_t *error);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_JSON_H
