//===- check_result.h - The result of a check of outputs ---------------------===//
//
// Of all elements of all outputs the one that came closest to its limit, or went furthest beyond
// it: its error, its limit, and what the limit comes from (targets/output_check.h has the formula).
//
// Threads: a value; no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_CHECK_RESULT_H
#define TUNE_TUNING_RECORD_CHECK_RESULT_H

#include "support/status.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Room for the name of an element type, with its NUL.
#define TUNE_CHECK_TYPE_SIZE 8

typedef struct tune_check_result {
  bool is_known;           // else nothing was checked, and nothing else holds
  double error, tolerance; // |value - expected|, and what it may be; the error may be infinite
  // Why it may be so much. Without a type (what older versions kept) nothing of it is known.
  char type[TUNE_CHECK_TYPE_SIZE];        // of the output: "f32"
  char accumulator[TUNE_CHECK_TYPE_SIZE]; // that sums are kept in; "": the output's own
  char operands[TUNE_CHECK_TYPE_SIZE];    // "tf32", which factors may be rounded to; "": as given
  int64_t reduction;                      // length of the sums; 0 or 1: there are none
  double magnitude;                       // R of the formula; 0 for integers
  double leeway;  // that this element has beyond the formula, on sparse inputs; 0: none
  bool is_sparse; // it was on the sparse inputs
} tune_check_result;

// As the member "check" of records and of replies: {"max_error","tolerance"}, and where a type is
// known "type", "reduction", "magnitude", "inputs" ("dense" or "sparse"), and as far as there are
// any "accumulator", "operands", "leeway". An infinite error is null. NULL where memory ran out.
json_t *tune_check_result_to_json(const tune_check_result *check);
// The names of all these, up to a NULL.
extern const char *const tune_check_result_names[];
// Reads that back; NULL: nothing was checked. INVALID_ARGUMENT for one that is none.
tune_status tune_check_result_from_json(const json_t *member, tune_check_result *out_check);
// The same of the member of a record's `object`, where there is one.
tune_status tune_check_result_get(const json_t *object, tune_check_result *out_check);
// Whether all numbers are finite and not below 0, but for an error that is none, and types are
// names in small letters and digits. INVALID_ARGUMENT says what is not.
tune_status tune_check_result_validate(const tune_check_result *check);

// Appends "error 1.2e-06 of 3.1e-05 allowed: f32, sums of 512, magnitude 14.2"; `check` is known.
void tune_check_result_append(tune_string_builder *text, const tune_check_result *check);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_RECORD_CHECK_RESULT_H
