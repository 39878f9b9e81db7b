//===- digest.h - Names for contents ---------------------------------------------===//
//
// XXH3-128 of bytes, as 32 lower-case hex digits in the canonical (big-endian) order, the
// same on every machine. Names tasks, fingerprints, artifacts. It is no defence against
// somebody who wants two contents to collide.
//
// Threads: tune_digest is a value; one thread at a time per stream.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_DIGEST_H
#define TUNE_SUPPORT_DIGEST_H

#include "support/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_digest {
  char text[33]; // 32 hex digits and NUL
} tune_digest;

tune_digest tune_digest_of_bytes(const void *bytes, size_t size);
bool tune_digest_equal(const tune_digest *a, const tune_digest *b);

typedef struct tune_digest_stream tune_digest_stream;

tune_status tune_digest_stream_create(tune_digest_stream **out_stream);
void tune_digest_stream_destroy(tune_digest_stream *stream);
// Bytes as they are: adding "ab" then "c" is adding "abc".
void tune_digest_stream_add_bytes(tune_digest_stream *stream, const void *bytes, size_t size);
// A text with its length before it: adding "ab" then "c" differs from "a" then "bc".
void tune_digest_stream_add_text(tune_digest_stream *stream, const char *text);
// As eight bytes, whatever the machine's order of them is.
void tune_digest_stream_add_number(tune_digest_stream *stream, uint64_t number);
void tune_digest_stream_add_double(tune_digest_stream *stream, double number); // its bits
// Of all that was added so far; more may be added after.
tune_digest tune_digest_stream_get(const tune_digest_stream *stream);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_DIGEST_H
