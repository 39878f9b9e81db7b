//===- strategy.h - Proposing configs and learning from trials ---------------===//
//
// A strategy walks the space of a task by asking and telling: the session asks for
// configs to try, builds and measures them, and tells the outcome. A strategy sees
// knobs and numbers, never IR or devices, so any of them runs on a synthetic
// objective (see unittests/tuning/strategy_test.c).
//
// Asks and tells may alternate in any pattern; any number of proposals may be without an
// outcome. What was not proposed may be told too: a record of an earlier session.
//
// Threads: one thread at a time per strategy. Determinism: the proposals depend on the
// space, the options and the sequence of asks, tells and seedings, on nothing else.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_STRATEGIES_STRATEGY_H
#define TUNE_TUNING_STRATEGIES_STRATEGY_H

#include "tuning/space/config.h"
#include "tuning/space/config_set.h"
#include "tuning/space/random.h"
#include "tuning/space/sampler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_strategy tune_strategy;

// How parents are chosen from the population.
typedef enum tune_selection {
  TUNE_SELECTION_TOURNAMENT,   // the best of three drawn at random
  TUNE_SELECTION_PROPORTIONAL, // with a probability that falls with the cost
} tune_selection;

const char *tune_selection_name(tune_selection selection); // "tournament", "proportional"
// INVALID_ARGUMENT lists them.
tune_status tune_selection_parse(const char *text, tune_selection *out_selection);

// What a strategy has no use for, it ignores: grid all, random all but the seed.
typedef struct tune_strategy_options {
  uint64_t seed;
  size_t population;        // configs that may be parents; 0 picks the strategy's own default
  double mutation_rate;     // share of knobs changed in an offspring, 0..1; negative: the default
  double immigrants;        // share of proposals drawn anew, 0..1; negative picks the default
  tune_selection selection; //
} tune_strategy_options;

// Seed 0 and every default.
void tune_strategy_options_init(tune_strategy_options *options);

typedef struct tune_outcome {
  bool failed;    // it did not build, crashed, was wrong: steers like the worst of all
  double seconds; // where it did not fail; above 0, lower is better
  uint64_t code;  // the same number for the same code; 0: not known
} tune_outcome;

// Creates the strategy registered as `name` ("random", "evolutionary", ...) over
// `space`, which must outlive it. NOT_FOUND names the registered strategies and the
// nearest to `name`; INVALID_ARGUMENT where an option is out of its range.
tune_status tune_strategy_create(const char *name, const tune_space *space,
                                 const tune_strategy_options *options,
                                 tune_strategy **out_strategy);
void tune_strategy_destroy(tune_strategy *strategy);

// Has `config` proposed before anything else, in the order of the calls, unless it was proposed or
// told already. Where it violates a constraint, a valid one near it is proposed instead.
tune_status tune_strategy_seed_config(tune_strategy *strategy, const tune_config *config);

// Proposes up to `capacity` configs, valid under the space's constraints and never proposed or told
// before, into `configs` (uninitialized; the caller deinits the first `*out_count`). Fewer than
// `capacity` mean that the space is exhausted, unless the strategy waits.
tune_status tune_strategy_ask(tune_strategy *strategy, size_t capacity, tune_config *configs,
                              size_t *out_count);

// Learns the outcome of `config`. Where the same config is told again, the last outcome counts.
tune_status tune_strategy_tell(tune_strategy *strategy, const tune_config *config,
                               tune_outcome outcome);

// Whether the last ask gave fewer configs than there are since the next ones depend on what comes
// of those that were proposed: after the tells of all of them there are more.
bool tune_strategy_waits(const tune_strategy *strategy);
// Says that this share of the time of the search is over, 0..1, for those that divide it.
void tune_strategy_note_time(tune_strategy *strategy, double share);

const char *tune_strategy_name(const tune_strategy *strategy);
// Whether what it is told changes what it proposes.
bool tune_strategy_learns(const tune_strategy *strategy);

//===--------------------------------------------------------------------------===//
// For those who write strategies: implement a class, add its line to strategies.h.
// What every strategy does the same way (seeded configs first, nothing twice, exhaustion)
// is done around the class.
//===--------------------------------------------------------------------------===//

// What a class works with; all borrowed, all living as long as the strategy.
typedef struct tune_strategy_context {
  const tune_space *space;
  const tune_strategy_options *options;
  tune_sampler *sampler;
  tune_random *random;
  const tune_config_set *known; // everything proposed or told
  const void *argument;         // of tune_strategy_create_of; while the strategy is created
} tune_strategy_context;

typedef struct tune_strategy_class {
  const char *name;
  const char *summary; // a line for people
  tune_status (*create)(const tune_strategy_context *context, void **out_self);
  void (*destroy)(void *self);
  // Overwrites `config` with a valid proposal. One that is known makes the strategy call again,
  // some dozens of times, then draw or search for any that is not. `*out_found` false: the class
  // has nothing more to propose; configs that are left are drawn from then on, so that every
  // strategy gets through the whole space.
  tune_status (*propose)(void *self, const tune_strategy_context *context, tune_config *config,
                         bool *out_found);
  // `number` is that of `config` in `context->known`. NULL: does not learn.
  tune_status (*learn)(void *self, const tune_strategy_context *context, size_t number,
                       tune_outcome outcome);
  // As the functions of strategy.h; the first one after propose has found nothing. NULL: never, and
  // has no use for it.
  bool (*waits)(const void *self);
  void (*note_time)(void *self, double share);
  bool keeps_to_itself; // what it does not propose is not proposed in its place
} tune_strategy_class;

// The class registered as `name`, with the errors of tune_strategy_create.
tune_status tune_strategy_find_class(const char *name, const tune_strategy_class **out_class);
// Creates a strategy of the class `of`, which is none of those registered, under `name`, which it
// borrows.
tune_status tune_strategy_create_of(const tune_strategy_class *of, const char *name,
                                    const void *argument, const tune_space *space,
                                    const tune_strategy_options *options,
                                    tune_strategy **out_strategy);

// The registered classes, in the order in which to list them.
const tune_strategy_class *const *tune_strategy_classes(size_t *out_count);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_STRATEGIES_STRATEGY_H
