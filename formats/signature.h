//===- signature.h - The signature of an artifact's entry --------------------===//
//
// The SIGNATURE of docs/protocol.md: the arguments and results of
// `void tune_entry(void **arguments)`, as JSON on the wire. transforms/ir/signature.h makes it of a
// function; whoever runs artifacts reads it.
//
// The outputs of an artifact are, in this order, its "readwrite" tensors and its results;
// wherever outputs are numbered, it is so.
//
// Threads: immutable once read.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_SIGNATURE_H
#define TUNE_FORMATS_SIGNATURE_H

#include "formats/element_type.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_RANK_LIMIT 16
#define TUNE_DYNAMIC (-1)    // in a shape: known only at run time
#define TUNE_DYNAMIC_SIZE 64 // what stands in for it where nobody says

typedef struct tune_value_type {
  tune_element_type element;
  bool is_scalar;    // handed over by value, rank 0; never a result
  bool is_readwrite; // a tensor argument that is written too
  bool is_constant;  // a tensor argument that is the same in all calls
  // Of an argument, which values to make for it: from one number to another, whole ones alone where
  // it says so; else what is usual for its type. Of integers half are 0 and 1 where they are flags;
  // where they are divisors none is 0 or -1.
  bool has_range, is_whole, is_flag, is_divisor;
  double range[2];
  size_t rank;
  int64_t shape[TUNE_RANK_LIMIT];
  // Of an argument: what it is in measurements where nobody says otherwise.
  bool has_measured;
  int64_t measured[TUNE_RANK_LIMIT];
} tune_value_type;

typedef struct tune_signature {
  char *entry;
  tune_value_type *arguments;
  size_t argument_count;
  tune_value_type *results;
  size_t result_count;
  bool is_partial;     // there are values of the arguments for which the outputs are not defined
  bool selects;        // outputs are inputs or constants, as they are
  bool takes_special;  // of NaN and infinities the same comes out of any code that is right
  bool sums_arguments; // what it sums up are arguments or their products
  bool keeps_steps;    // halves and quarters are computed with exactly
  bool has_infinities; // its outputs may be infinite by choice
  bool keeps_zeros;    // of zeros, too, the sign is the same by any code that is right
  // The coarsest type of floats that something is summed up in, where it is known.
  bool has_sum_type;
  tune_element_type sum_type;
  // For arguments of whole numbers, none of them negative, outputs from 0 up to it are exact, in
  // whatever order they are computed. 0: not so.
  int64_t exact_limit;
} tune_signature;

// A new reference. Results that are scalars are written, too, for who asks
// tune_signature_json_find_scalar_result.
tune_status tune_signature_to_json(const tune_signature *signature, json_t **out_object);
// Reads the JSON form. INVALID_ARGUMENT names the member that is missing, unknown or out of range.
tune_status tune_signature_from_json(const json_t *object, tune_signature *out_signature);
// The first result that is a scalar, which no artifact can be run for and the reader refuses, or
// SIZE_MAX: for an error that knows the function's name.
size_t tune_signature_json_find_scalar_result(const json_t *object);
void tune_signature_deinit(tune_signature *signature);

size_t tune_signature_output_count(const tune_signature *signature);
// The argument that output `index` is, or SIZE_MAX if it is a result; `*out_result` is then which.
size_t tune_signature_output_argument(const tune_signature *signature, size_t index,
                                      size_t *out_result);
// The type of output `index`.
const tune_value_type *tune_signature_output(const tune_signature *signature, size_t index);
// "argument 2" or "result 0", into `out_name`.
void tune_signature_output_name(const tune_signature *signature, size_t index, char out_name[32]);

bool tune_value_type_is_static(const tune_value_type *type);
// The size of dimension `dimension`; where it is dynamic `otherwise`, or where that is 0 what it is
// in measurements.
int64_t tune_value_type_size(const tune_value_type *type, size_t dimension, int64_t otherwise);
// Product of the shape, which is static; 1 for a scalar.
size_t tune_value_type_element_count(const tune_value_type *type);
// Whether `shape` of `rank` dimensions, all known, is one that `type` allows.
bool tune_value_type_allows(const tune_value_type *type, size_t rank, const int64_t *shape);
// "512x?xf32" or "f32", as MLIR writes it, into `out_text`.
#define TUNE_VALUE_TYPE_TEXT 400
void tune_value_type_to_text(const tune_value_type *type, char out_text[TUNE_VALUE_TYPE_TEXT]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_SIGNATURE_H
