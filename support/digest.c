//===- digest.c ---------------------------------------------------------------===//

#include "support/digest.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

// XXH3_state_t wants 64-byte alignment, which XXH3_createState sees to, so a stream is the state
// itself under another name.
static XXH3_state_t *state_of(tune_digest_stream *stream) { return (XXH3_state_t *)stream; }

static tune_digest digest_of_hash(XXH128_hash_t hash) {
  static const char digits[] = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  tune_digest digest;
  for (size_t i = 0; i < sizeof canonical.digest; ++i) {
    digest.text[2 * i] = digits[canonical.digest[i] >> 4];
    digest.text[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  digest.text[32] = '\0';
  return digest;
}

tune_digest tune_digest_of_bytes(const void *bytes, size_t size) {
  return digest_of_hash(XXH3_128bits(bytes, size));
}

bool tune_digest_equal(const tune_digest *a, const tune_digest *b) {
  return strcmp(a->text, b->text) == 0;
}

tune_status tune_digest_stream_create(tune_digest_stream **out_stream) {
  *out_stream = NULL;
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return tune_status_out_of_memory("starting a digest");
  XXH3_128bits_reset(state);
  *out_stream = (tune_digest_stream *)state;
  return TUNE_OK;
}

void tune_digest_stream_destroy(tune_digest_stream *stream) { XXH3_freeState(state_of(stream)); }

void tune_digest_stream_add_bytes(tune_digest_stream *stream, const void *bytes, size_t size) {
  if (size)
    XXH3_128bits_update(state_of(stream), bytes, size);
}

void tune_digest_stream_add_text(tune_digest_stream *stream, const char *text) {
  size_t length = strlen(text);
  tune_digest_stream_add_number(stream, length);
  tune_digest_stream_add_bytes(stream, text, length);
}

void tune_digest_stream_add_number(tune_digest_stream *stream, uint64_t number) {
  number = htole64(number);
  tune_digest_stream_add_bytes(stream, &number, sizeof number);
}

void tune_digest_stream_add_double(tune_digest_stream *stream, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  tune_digest_stream_add_number(stream, bits);
}

tune_digest tune_digest_stream_get(const tune_digest_stream *stream) {
  return digest_of_hash(XXH3_128bits_digest((const XXH3_state_t *)stream));
}
