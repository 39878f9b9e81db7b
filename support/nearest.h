//===- nearest.h - "Did you mean" --------------------------------------------------===//
//
// Finds among known words the one that a mistyped word was likely meant to be: the
// smallest number of insertions, deletions, replacements and swaps of neighbours (optimal
// string alignment), letter case and '-' against '_' aside, up to a third of the word.
//
//   tune_nearest nearest;
//   tune_nearest_init(&nearest, word);
//   for (...)
//     tune_nearest_offer(&nearest, table[i].name);
//   ... nearest.best ...
//
// Threads: a value.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_NEAREST_H
#define TUNE_SUPPORT_NEAREST_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_nearest {
  const char *word; // borrowed
  const char *best; // the nearest word offered so far, borrowed; NULL where none is near
  size_t distance;  // of `best`; at first one more than is still near
} tune_nearest;

void tune_nearest_init(tune_nearest *nearest, const char *word);
// Of two words equally near, the one offered first stays.
void tune_nearest_offer(tune_nearest *nearest, const char *candidate);

// The nearest of `count` words, or NULL.
const char *tune_nearest_of(const char *word, const char *const *words, size_t count);

// A table of words, and what to call them to a user.
typedef struct tune_nearest_words {
  const char *introduction; // begins the list: "the passes are:", "there are"
  const void *table;
  size_t count;
  const char *(*get)(const void *table, size_t index);
} tune_nearest_words;

// The failure for who gave `word`, which is none of `words`, after `complaint` and a space:
//   no pass 'tune-serch'; did you mean 'tune-search'? The passes are: tune-extract, …
//   no pass 'x'; the passes are: tune-extract, …
tune_status tune_nearest_refuse(tune_status_code code, const char *complaint, const char *word,
                                const tune_nearest_words *words);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_NEAREST_H
