//===- json.h - Reading JSON ------------------------------------------------------===//
//
// jansson takes a lack of memory within a text for a fault of the text, or even loses a byte of a
// string without a word; and what it writes lacks the name of a member where it had no memory for
// that and had some again. Who blames a file or a peer has to know which it was, and what is
// written has to be whole.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_JSON_H
#define TUNE_SUPPORT_JSON_H

#include "support/digest.h"
#include "support/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// An object or array in which no name is there twice: a new reference. NULL where the text is
// something else, as `error` says, or where memory ran out.
json_t *tune_json_load(const char *bytes, size_t size, json_error_t *error);

// The same of a text that was right when it was kept: DATA_LOSS where it is not any more, with what
// it is (`what`, "a config").
tune_status tune_json_load_kept(const char *text, const char *what, json_t **out_object);

// Appends a text to `texts`, an array of remarks for people. Where memory runs out, or it is not
// UTF-8, it is left out.
__attribute__((format(printf, 2, 3))) void tune_json_append_text(json_t *texts, const char *format,
                                                                 ...);

// Whether `error`, of a load or an unpack that failed, is that memory ran out.
bool tune_json_lacks_memory(const json_error_t *error);

// As json_pack, which leaves out an optional text ("s:s*") also where it has no memory for it: then
// this is NULL.
json_t *tune_json_pack(const char *format, ...);

// `value` as text, with the flags of json_dumps: the caller's, to free. NULL where memory ran out,
// or `value` is NULL.
char *tune_json_dump(const json_t *value, size_t flags);
// The digest of `value`, whatever the order of its members.
tune_status tune_json_digest(const json_t *value, tune_digest *out_digest);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_JSON_H
