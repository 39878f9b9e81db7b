//===- config.h - A value for each knob of a space ---------------------------===//
//
// A config is an array of indices into the domains of its space's knobs, in the space's
// order. It does not own or point to its space; functions that need it take it.
// As JSON, and so in records and on the wire, it is an object from knob names to values
// (integers, never indices or labels): {"mc": 64, "lowering": 0}.
//
// Threads: a value; no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_CONFIG_H
#define TUNE_TUNING_SPACE_CONFIG_H

#include "tuning/space/space.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_config {
  size_t count;
  uint16_t *choices; // choices[i] indexes the domain of knob i; owned
} tune_config;

// The space's default value for every knob.
tune_status tune_config_init_default(tune_config *config, const tune_space *space);
tune_status tune_config_init_copy(tune_config *config, const tune_config *other);
void tune_config_deinit(tune_config *config);

bool tune_config_equal(const tune_config *a, const tune_config *b);
uint64_t tune_config_hash(const tune_config *config);
int64_t tune_config_value(const tune_config *config, const tune_space *space, size_t knob);

// Gives the knobs that do nothing under `config` (tune_space_add_condition) their defaults.
void tune_config_settle(tune_config *config, const tune_space *space);

// Whether `config` satisfies every constraint. Where it does not and `out_violated` is not NULL,
// that is the first one that fails.
bool tune_config_is_valid(const tune_config *config, const tune_space *space,
                          const tune_constraint **out_violated);

// A new reference to a JSON object, as above.
tune_status tune_config_to_json(const tune_config *config, const tune_space *space, json_t **out);
// Reads an object as above. Knobs it lacks take their default. INVALID_ARGUMENT for a value outside
// its domain (which it lists), NOT_FOUND for a name that is no knob (with the nearest one).
// Constraints are not checked.
tune_status tune_config_from_json(tune_config *config, const tune_space *space,
                                  const json_t *object);
// Reads the config of a record, as text. `*out_found` is false, and `config` nothing to deinit,
// where it is none of this space: without a value for every knob, with other names or values (but
// where a knob does nothing), or not valid. `*out_is_settled`, unless that is NULL: the record has
// another value for a knob that does nothing.
tune_status tune_config_find(tune_config *config, const tune_space *space, const char *json,
                             bool *out_found, bool *out_is_settled);
// Why it is none of this space: INVALID_ARGUMENT or NOT_FOUND, "knob "mc" has no value"; TUNE_OK
// where it is found.
tune_status tune_config_explain(const tune_space *space, const char *json);
// "mc=64,nr=32,lowering=outerproduct" (labels where there are any); the reader takes both labels
// and numbers. Errors as from_json.
tune_status tune_config_to_text(const tune_config *config, const tune_space *space,
                                char **out_text);
tune_status tune_config_from_text(tune_config *config, const tune_space *space, const char *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_CONFIG_H
