//===- payload.h - Payloads of one linalg op from a line of text --------------------===//
//
// A reduction or an elementwise op over given loops, with what starts its accumulator and
// an elementwise op after it, as a module with one function:
//
//   .loops = "m=127 n=509 k=331"     in the op's order; those the output lacks are reduced
//   .inputs = "m, k | k, n"          how each input is indexed: sums of loops, with factors
//   .output = "m, n"
//   .body = "mac"                    or one of BODIES in payload.c
//   .start = "zero"                  or "bias" (broadcast along the last dimension), "argument"
//   .epilogue = "bias gelu residual" any of bias, relu, gelu, residual
//   .no_sign = "0"                   the inputs that are integers without a sign: "0", "1", "01"
//   .constant = "1"                  the inputs that are marked constant
//   .threads = 2                     no part of the payload: how it is to be run
//   .bits = 512                      the same, of vectors: where narrow ones are taken by another
//   rule
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_RULES_PAYLOAD_H
#define TUNE_UNITTESTS_RULES_PAYLOAD_H

#include "support/status.h"

#include <stdint.h>

typedef struct payload_spec {
  const char *loops;
  const char *inputs;
  const char *output;
  const char *in;       // element type of the inputs; NULL: f32
  const char *out;      // of the output; NULL: `in`
  const char *body;     // NULL: "mac"
  const char *start;    // NULL: what the body starts from: zero, one, or an infinity
  const char *epilogue; // NULL: none
  const char *no_sign;  // NULL: none
  const char *constant; // NULL: none
  unsigned threads;     // to try it with, always; 0: as rules_test.c has it
  unsigned bits;        // of vectors, the same
} payload_spec;

// Writes the module; free() it. `out_reduction` is how many elements are reduced into one.
// INVALID_ARGUMENT for a spec that cannot be read.
tune_status payload_write(const payload_spec *spec, char **out_text, int64_t *out_reduction);

#endif // TUNE_UNITTESTS_RULES_PAYLOAD_H
