//===- nearest.c --------------------------------------------------------------===//

#include "support/nearest.h"

#include "support/string_builder.h"

#include <ctype.h>
#include <string.h>

// Longer words are compared as far as this. Names that people type are shorter, and it keeps the
// three rows on the stack.
#define COMPARED 127

static char fold(char c) { return c == '_' ? '-' : (char)tolower((unsigned char)c); }

static size_t min3(size_t a, size_t b, size_t c) {
  size_t least = a < b ? a : b;
  return least < c ? least : c;
}

static size_t compared_length(const char *word) {
  size_t length = strlen(word);
  return length < COMPARED ? length : COMPARED;
}

// Row i holds the distances of the first i letters of `a` to each prefix of `b`.
static size_t distance(const char *a, const char *b) {
  size_t a_length = compared_length(a), b_length = compared_length(b);
  size_t rows[3][COMPARED + 1];
  for (size_t j = 0; j <= b_length; ++j)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_length; ++i) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_length; ++j) {
      size_t replacement = fold(a[i - 1]) != fold(b[j - 1]);
      row[j] = min3(row[j - 1] + 1, above[j] + 1, above[j - 1] + replacement);
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
          two_above[j - 2] + 1 < row[j])
        row[j] = two_above[j - 2] + 1;
    }
  }
  return rows[a_length % 3][b_length];
}

void tune_nearest_init(tune_nearest *nearest, const char *word) {
  size_t length = strlen(word);
  size_t limit = (length + 2) / 3;
  if (limit >= length) // every letter replaced is another word
    limit = length ? length - 1 : 0;
  *nearest = (tune_nearest){.word = word, .distance = limit + 1};
}

void tune_nearest_offer(tune_nearest *nearest, const char *candidate) {
  size_t candidate_distance = distance(nearest->word, candidate);
  if (candidate_distance >= nearest->distance)
    return;
  nearest->best = candidate;
  nearest->distance = candidate_distance;
}

const char *tune_nearest_of(const char *word, const char *const *words, size_t count) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, word);
  for (size_t i = 0; i < count; ++i)
    tune_nearest_offer(&nearest, words[i]);
  return nearest.best;
}

tune_status tune_nearest_refuse(tune_status_code code, const char *complaint, const char *word,
                                const tune_nearest_words *words) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, word);
  for (size_t i = 0; i < words->count; ++i)
    tune_nearest_offer(&nearest, words->get(words->table, i));
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "%s '%s'; ", complaint, word);
  int first = words->introduction[0];
  if (nearest.best) {
    tune_string_builder_appendf(&text, "did you mean '%s'? ", nearest.best);
    first = toupper(first); // it begins a sentence then
  }
  tune_string_builder_appendf(&text, "%c%s", first, words->introduction + 1);
  for (size_t i = 0; i < words->count; ++i)
    tune_string_builder_appendf(&text, "%s%s", i ? ", " : " ", words->get(words->table, i));
  tune_status status = text.failed ? tune_status_out_of_memory("%s '%s'", complaint, word)
                                   : tune_status_make(code, "%s", text.text);
  tune_string_builder_deinit(&text);
  return status;
}
