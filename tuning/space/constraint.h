//===- constraint.h - Constraints between the knobs of a space ---------------===//
//
// A constraint is a boolean expression over knob values, true where a config is legal:
//
//   implication := or [ "=>" implication ]
//   or          := and { "||" and }
//   and         := equality { "&&" equality }
//   equality    := relation [ ("==" | "!=") relation ]
//   relation    := sum [ ("<" | "<=" | ">" | ">=") sum ]
//   sum         := term { ("+" | "-") term }
//   term        := unary { ("*" | "/" | "%") unary }
//   unary       := ("-" | "!") unary | primary
//   primary     := integer | "true" | "false" | knob | ("min" | "max") "(" list ")"
//                | "(" implication ")"
//   knob        := [A-Za-z_][A-Za-z0-9_.]*, or any name in single quotes: 'my-knob'
//
// Values are 64-bit integers; what is compared or combined by && || ! => counts as true
// unless it is 0, and gives 1 or 0. / and % round towards minus infinity (floor), so that
// x == y * (x / y) + x % y and x % y has the sign of y. && || => do not evaluate the right
// side where the left decides, so a divisor may be guarded: "u == 0 || n % u == 0".
// Where a value cannot be had, by division by zero or by overflow of 64 bits, the whole
// constraint counts as violated.
//
// Threads: immutable; may be read by many.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_CONSTRAINT_H
#define TUNE_TUNING_SPACE_CONSTRAINT_H

#include "tuning/space/knobs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_constraint tune_constraint;

// Parses `expression` over `knobs`. INVALID_ARGUMENT shows the expression with a caret
// under the place; NOT_FOUND does so for a name that is no knob, with the nearest one. `why` may be
// NULL. Spaces do this in tune_space_add_constraint.
tune_status tune_constraint_create(const tune_knobs *knobs, const char *expression, const char *why,
                                   tune_constraint **out_constraint);
void tune_constraint_destroy(tune_constraint *constraint);

// The expression as it was written, and the reason given for it (NULL where none); borrowed.
const char *tune_constraint_text(const tune_constraint *constraint);
const char *tune_constraint_why(const tune_constraint *constraint);

// The knobs it reads: ascending indices, each once; borrowed.
const size_t *tune_constraint_knobs(const tune_constraint *constraint, size_t *out_count);

// Whether it holds where knob i has entry choices[i] of its domain. Only the entries of the knobs
// it reads are looked at.
bool tune_constraint_holds(const tune_constraint *constraint, const tune_knobs *knobs,
                           const uint16_t *choices);

// Whether it can still hold where only the knobs with is_assigned[i] have a value. False is
// certain; true is not: the values of the others are taken as ranges, independent of each other.
bool tune_constraint_may_hold(const tune_constraint *constraint, const tune_knobs *knobs,
                              const uint16_t *choices, const bool *is_assigned);

// Prints the expression anew from its parsed form, with the least parentheses; parses back to the
// same. Owned by the caller.
tune_status tune_constraint_print(const tune_constraint *constraint, const tune_knobs *knobs,
                                  char **out_text);

// The same for people: a value that a knob with labels is compared with by == or != is its label,
// as in "shared_memory == tiles". This does not parse.
tune_status tune_constraint_describe(const tune_constraint *constraint, const tune_knobs *knobs,
                                     char **out_text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_CONSTRAINT_H
