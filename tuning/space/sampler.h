//===- sampler.h - Valid configs, drawn, repaired and enumerated -------------===//
//
// In the spaces of real schedules often few configs satisfy the constraints, down to one
// in millions, so drawing at random until one fits does not end. The sampler assigns one
// knob after the other, in an order that completes constraints early, checks after each
// whether the constraints that read it can still hold, and goes back where none of a knob's
// values fits.
//
// All efforts are bounded: where no valid config is found within about a second of
// searching (some millions of partial configs), the answer is that there is none.
//
// Threads: one thread at a time per sampler. Determinism: what is drawn depends on the
// space and on `random` alone.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_SAMPLER_H
#define TUNE_TUNING_SPACE_SAMPLER_H

#include "tuning/space/config.h"
#include "tuning/space/random.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_sampler tune_sampler;

// `space` must outlive it and not change.
tune_status tune_sampler_create(const tune_space *space, tune_sampler **out_sampler);
void tune_sampler_destroy(tune_sampler *sampler);

// Overwrites `config` with a valid one: uniform over the valid ones of each alternative, and over
// alternatives, where at least one config in about a hundred is valid, otherwise merely random.
// False where none was found.
bool tune_sampler_draw(tune_sampler *sampler, tune_random *random, tune_config *config);
// The same with no more than `*effort` partial configs, from which those are taken off that it
// took. With 0 left, false says nothing.
bool tune_sampler_draw_within(tune_sampler *sampler, tune_random *random, tune_config *config,
                              size_t *effort);

// Makes `config` valid by changing few of its knobs, ordered ones by small steps. False where that
// did not work out; `config` is then not to be used.
bool tune_sampler_repair(tune_sampler *sampler, tune_random *random, tune_config *config);

// Walks over all valid configs, each once, in a fixed order. A walk starts as {0}.
typedef struct tune_sampler_walk {
  uint16_t *choices; // where it stands; owned
  bool has_ended;
} tune_sampler_walk;

void tune_sampler_walk_deinit(tune_sampler_walk *walk);
// Overwrites `config` with the next valid one. `*out_found` is false at the end.
tune_status tune_sampler_walk_next(tune_sampler *sampler, tune_sampler_walk *walk,
                                   tune_config *config, bool *out_found);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_SAMPLER_H
