//===- digest_test.c ------------------------------------------------------------===//

#include "support/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// Published by xxHash: `xxhsum -H2`. A digest is part of records that live for years, so it may
// never change.
static void has_the_published_values(void **state) {
  (void)state;
  assert_string_equal(tune_digest_of_bytes("", 0).text, "99aa06d3014798d86001c324468d497f");
  assert_string_equal(tune_digest_of_bytes("abc", 3).text, "06b05ab6733a618578af5f94892f3950");
}

static tune_digest digest_in_pieces(const char *bytes, size_t size, size_t piece) {
  tune_digest_stream *stream;
  assert_null(tune_digest_stream_create(&stream));
  for (size_t begin = 0; begin < size; begin += piece)
    tune_digest_stream_add_bytes(stream, bytes + begin,
                                 begin + piece < size ? piece : size - begin);
  tune_digest digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return digest;
}

static void pieces_do_not_matter(void **state) {
  (void)state;
  char bytes[3000];
  for (size_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = (char)(i * i);
  tune_digest whole = tune_digest_of_bytes(bytes, sizeof bytes);
  for (size_t piece = 1; piece < sizeof bytes; piece = 3 * piece + 1) {
    tune_digest digest = digest_in_pieces(bytes, sizeof bytes, piece);
    assert_true(tune_digest_equal(&whole, &digest));
  }
  bytes[1234] ^= 1;
  tune_digest other = tune_digest_of_bytes(bytes, sizeof bytes);
  assert_false(tune_digest_equal(&whole, &other));
}

static tune_digest digest_of_texts(const char *a, const char *b) {
  tune_digest_stream *stream;
  assert_null(tune_digest_stream_create(&stream));
  tune_digest_stream_add_text(stream, a);
  tune_digest_stream_add_text(stream, b);
  tune_digest digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return digest;
}

static void texts_keep_their_borders(void **state) {
  (void)state;
  tune_digest a = digest_of_texts("ab", "c"), b = digest_of_texts("a", "bc");
  assert_false(tune_digest_equal(&a, &b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_the_published_values),
      cmocka_unit_test(pieces_do_not_matter),
      cmocka_unit_test(texts_keep_their_borders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
