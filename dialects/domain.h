//===- domain.h - The attributes of the tune dialect, as C values ----------------===//
//
// A decision on IR is an attribute. Open, it is a domain: #tune.tile<[8, 16, 32]> or
// #tune.alternative<["outerproduct", "dot"]>. Taken, it is a chosen value with its
// kind and provenance: #tune.chosen<"tile", 16, "search:evolutionary">; a plain 16 or
// "dot" is a value that the user took.
//
// tune_domain is an open one, tune_chosen a taken one. Both own their memory.
//
// Threads: values; no shared state beyond the MLIR context's own.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_DOMAIN_H
#define TUNE_DIALECTS_DOMAIN_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a decision is about. The name of a kind is the name of its attribute.
typedef enum tune_choice_kind {
  TUNE_CHOICE_TILE,        // tile sizes, integers from 0 (not tiled)
  TUNE_CHOICE_FUSE,        // what is fused where
  TUNE_CHOICE_VECTORIZE,   // vector shapes or ways to vectorize
  TUNE_CHOICE_PACK,        // packing and padding
  TUNE_CHOICE_ORDER,       // order of loops
  TUNE_CHOICE_UNROLL,      // unroll factors, integers from 1 (not unrolled)
  TUNE_CHOICE_PARALLEL,    // mapping to parallel workers, integers from 0
  TUNE_CHOICE_ALTERNATIVE, // one of several lowerings, strings
  TUNE_CHOICE_PLAIN,       // not an attribute: a plain value, which has no kind
} tune_choice_kind;

#define TUNE_CHOICE_KIND_COUNT TUNE_CHOICE_PLAIN

// "tile", "fuse", ...; "plain" for TUNE_CHOICE_PLAIN.
const char *tune_choice_kind_name(tune_choice_kind kind);
// Whether neighbours in a domain of this kind behave alike, as those of tile sizes do.
bool tune_choice_kind_is_ordered(tune_choice_kind kind);

typedef struct tune_domain {
  tune_choice_kind kind; // not TUNE_CHOICE_PLAIN, unless read by tune_domain_read_array
  size_t count;          // at least 1
  int64_t *values;       // distinct; 0, 1, 2, ... where there are labels
  char **labels;         // NULL, or a distinct word per value
} tune_domain;

typedef struct tune_chosen {
  tune_choice_kind kind;
  int64_t value;    // where label is NULL
  char *label;      // NULL, or the word chosen
  char *provenance; // "user", "default", "search:<strategy>", "database:<where>"
} tune_chosen;

// Whether `attribute` is an open decision: #tune.<kind><[...]>.
bool tune_domain_is_attribute(MlirAttribute attribute);
// Whether `attribute` is a decision taken: #tune.chosen<...>, a plain i64 or a plain string.
bool tune_chosen_is_attribute(MlirAttribute attribute);

// Reads an open decision. INVALID_ARGUMENT says what is wrong with `attribute` and shows it.
tune_status tune_domain_read(MlirAttribute attribute, tune_domain *out_domain);
// Reads a plain array of i64 or of strings, [8, 16, 32], as the domain of a decision of `kind`
// (TUNE_CHOICE_PLAIN: of any). This is what the tune dialect's verifier runs on its parameters.
tune_status tune_domain_read_array(MlirAttribute array, tune_choice_kind kind,
                                   tune_domain *out_domain);
// Makes the attribute; the tune dialect has to be loaded (tune_dialect.h).
tune_status tune_domain_write(MlirContext context, const tune_domain *domain,
                              MlirAttribute *out_attribute);
tune_status tune_domain_init_copy(tune_domain *domain, const tune_domain *other);
void tune_domain_deinit(tune_domain *domain);

// Appends "[8, 16, 32]" or "[outerproduct, dot]" to a text for people; free() it.
tune_status tune_domain_to_text(const tune_domain *domain, char **out_text);

// Reads a decision taken. A plain value reads as TUNE_CHOICE_PLAIN with provenance "user".
tune_status tune_chosen_read(MlirAttribute attribute, tune_chosen *out_chosen);
// Makes #tune.chosen<...>, or the plain value for TUNE_CHOICE_PLAIN (whose provenance is "user").
tune_status tune_chosen_write(MlirContext context, const tune_chosen *chosen,
                              MlirAttribute *out_attribute);
tune_status tune_chosen_init_copy(tune_chosen *chosen, const tune_chosen *other);
void tune_chosen_deinit(tune_chosen *chosen);

// The position of `chosen` in `domain`. INVALID_ARGUMENT where it is not there, with the domain:
// "the value 48, not in its domain [16, 32, 64]". A label matches by name; a number matches a
// value, in a labelled domain the position.
tune_status tune_domain_find(const tune_domain *domain, const tune_chosen *chosen,
                             size_t *out_index);

// What the verifier of the dialect checks beyond IRDL; a tune_attribute_verifier.
tune_status tune_domain_verify_parameters(const char *name, intptr_t parameter_count,
                                          const MlirAttribute *parameters);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_DOMAIN_H
