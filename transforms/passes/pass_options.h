//===- pass_options.h - The options of a pass, from text ---------------------===//
//
// A pass takes its options as text, in the manner of mlir-opt:
//
//   --tune-search="evolutionary trials=64 target=cpu db='/a b/c.db' timing"
//   --pass-pipeline='builtin.module(tune-search{evolutionary trials=64})'
//
// that is, name=value separated by spaces; a flag may stand alone; one option of the
// pass may take the first word that has no name. A value with spaces is put in quotes
// ('...' or "...") or in braces ({...}, which nest).
//
// The pass says in a table what options it has; tune_pass_options_parse checks the text
// against it, so that nothing is ever given and ignored.
//
// Threads: immutable once parsed; may then be read by many.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PASSES_PASS_OPTIONS_H
#define TUNE_TRANSFORMS_PASSES_PASS_OPTIONS_H

#include "support/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_pass_option_type {
  TUNE_PASS_OPTION_STRING,
  TUNE_PASS_OPTION_INTEGER, // within minimum..maximum
  TUNE_PASS_OPTION_SECONDS, // 90, 90s, 1.5m, 2h, 500ms; not negative
  TUNE_PASS_OPTION_PERCENT, // 85 or 85%, within 0..100
  TUNE_PASS_OPTION_FLAG,    // true, false, 1, 0; alone it is true
  TUNE_PASS_OPTION_ENUM,    // one of `words`
} tune_pass_option_type;

typedef struct tune_pass_option {
  const char *name; // "target-percent-of-peak"
  tune_pass_option_type type;
  const char *summary;      // for --help; says the unit
  const char *initial;      // the default, as one would write it; NULL: not set
  bool takes_bare_word;     // a first word without a name is the value of this option
  const char *const *words; // ENUM: the words, then NULL
  int64_t minimum, maximum; // INTEGER; both 0: any
  // Where the value goes in a struct of the pass's (TUNE_PASS_OPTION_INTO); a size of 0: nowhere.
  size_t offset, size;
} tune_pass_option;

// Part of a row: the value goes into `member` of a `struct_type` (tune_pass_options_fill). The
// member is a const char * for STRING, and for ENUM, which is then its word, or an enum, its
// position; 64 bits for INTEGER, a double for SECONDS and PERCENT, a bool for FLAG.
#define TUNE_PASS_OPTION_INTO(struct_type, member)                                                 \
  .offset = offsetof(struct_type, member), .size = sizeof(((struct_type *)0)->member)

typedef struct tune_pass_options tune_pass_options;

// Parses `text` (NULL is the same as "") against the `count` options of `table`, which must outlive
// the result. INVALID_ARGUMENT says what is wrong and what was expected, with the nearest right
// word and all of them.
tune_status tune_pass_options_parse(const tune_pass_option *table, size_t count, const char *text,
                                    tune_pass_options **out_options);
void tune_pass_options_destroy(tune_pass_options *options);

// Writes the values that are given or have a default into `into`, which is of the struct that the
// rows of the table name; the other members stay as they are. Texts are borrowed. A member of
// another size than its option's is a bug and caught by an assertion.
void tune_pass_options_fill(const tune_pass_options *options, void *into);

// Values by name. To ask for a name that is not in the table, or with the function of another type,
// is a bug in the caller and caught by an assertion.

// Whether a value was given; not the default's.
bool tune_pass_options_is_given(const tune_pass_options *options, const char *name);
// The value as text, for any type; without quotes. NULL where not set. Borrowed.
const char *tune_pass_options_get_text(const tune_pass_options *options, const char *name);
// Values of an option that is not set are 0 and false.
int64_t tune_pass_options_get_integer(const tune_pass_options *options, const char *name);
double tune_pass_options_get_seconds(const tune_pass_options *options, const char *name);
double tune_pass_options_get_percent(const tune_pass_options *options, const char *name);
bool tune_pass_options_get_flag(const tune_pass_options *options, const char *name);
// The position of the word in the table's `words`.
size_t tune_pass_options_get_enum(const tune_pass_options *options, const char *name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PASSES_PASS_OPTIONS_H
