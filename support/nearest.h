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

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_NEAREST_H
