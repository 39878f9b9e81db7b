//===- strategies.h - The table of strategies --------------------------------===//
//
// One class a file, and one line here, which messages, the options of passes and their help have
// the names from; see strategy.h for how to write another.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_STRATEGIES_STRATEGIES_H
#define TUNE_TUNING_STRATEGIES_STRATEGIES_H

#include "tuning/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

// evolutionary: offspring of the best found so far; random: valid configs drawn independently, what
// others have to beat; grid: every valid config once, in a fixed order, for small spaces and for
// knowing the truth. The first is the default.
#define TUNE_FOR_EACH_STRATEGY(DO)                                                                 \
  DO(evolutionary)                                                                                 \
  DO(random)                                                                                       \
  DO(grid)

#define TUNE_DECLARE_STRATEGY(name) extern const tune_strategy_class tune_strategy_##name;
TUNE_FOR_EACH_STRATEGY(TUNE_DECLARE_STRATEGY)

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_STRATEGIES_STRATEGIES_H
