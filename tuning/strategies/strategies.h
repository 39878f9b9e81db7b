//===- strategies.h - The strategies there are -------------------------------===//
//
// One class a file; see strategy.h for how to write another.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_STRATEGIES_STRATEGIES_H
#define TUNE_TUNING_STRATEGIES_STRATEGIES_H

#include "tuning/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

// Every valid config once, in a fixed order. For small spaces, and for knowing the truth.
extern const tune_strategy_class tune_strategy_grid;

// Valid configs drawn independently. What others have to beat.
extern const tune_strategy_class tune_strategy_random;

// Offspring of the best found so far; see evolutionary.c.
extern const tune_strategy_class tune_strategy_evolutionary;

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_STRATEGIES_STRATEGIES_H
