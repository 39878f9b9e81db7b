//===- layered.h - One level of knobs after the other -------------------------===//
//
// What a stack of layers does, each of which decides before the next one begins: a strategy of any
// class searches the knobs of one level, with those of the levels before it frozen at the best that
// was found, and those after it at their defaults. Then comes the next level. What a search of all
// levels together is worth is what it finds beyond that.
//
// Each level has its share of the trials and of the time: what is left, over the levels left. One
// that is exhausted before leaves the rest to those after it. Where the last one leaves something,
// the levels are gone through again, with all others frozen at the best, until that proposes
// nothing new; then there is no more.
//
// Where a level begins is decided by all outcomes of the ones before, so the strategy waits for
// these (tune_strategy_waits).
//
// Threads, determinism: as strategy.h; the times that it is told of (tune_strategy_note_time) count
// as tells.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_STRATEGIES_LAYERED_H
#define TUNE_TUNING_STRATEGIES_LAYERED_H

#include "tuning/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

// The levels, each once, in the order in which they are searched.
typedef struct tune_layers {
  size_t count; // 0: all levels are searched together
  tune_level levels[TUNE_LEVEL_COUNT];
} tune_layers;

// Reads what is to be searched. "joint", or no text, is all levels together; "graph,linalg" and
// "joint:graph,linalg" are some of them together; "layered" is all of them one after the other,
// "layered:vector,linalg" some, in that order. Bit l of `*out_levels` says that knobs of level l
// are searched; 0: all are. INVALID_ARGUMENT for what is no level, or is there twice.
tune_status tune_layers_parse(const char *text, tune_layers *out_layers, unsigned *out_levels);

// Creates a strategy that searches each of `layers`, one at least, by the strategy `name`, whose
// name it has. `trials` is how many there are to be in all, those that it is told of counted in; 0:
// each level is searched until it is exhausted. Knobs of other levels keep their defaults. Else as
// tune_strategy_create.
tune_status tune_layered_create(const char *name, const tune_space *space,
                                const tune_strategy_options *options, const tune_layers *layers,
                                size_t trials, tune_strategy **out_strategy);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_STRATEGIES_LAYERED_H
