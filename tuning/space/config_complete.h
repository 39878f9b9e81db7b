//===- config_complete.h - A config of which somebody says a part ------------===//
//
// People say the knobs that they care about. The others take their default, but for those
// that have to take another value for the constraints to hold.
//
// Threads: no shared state. Deterministic.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_CONFIG_COMPLETE_H
#define TUNE_TUNING_SPACE_CONFIG_COMPLETE_H

#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads `text` as tune_config_from_text does, and gives a valid config with these values, whose
// others are the defaults, or few steps from them. INVALID_ARGUMENT where there is none: it tells a
// constraint that is in the way, and values of the same knobs that go together.
tune_status tune_config_complete_text(tune_config *config, const tune_space *space,
                                      const char *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_CONFIG_COMPLETE_H
