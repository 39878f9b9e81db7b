//===- null.c -----------------------------------------------------------------===//

#include "tuning/evaluators/null.h"

#include "support/digest.h"
#include "tuning/measure/measure.h"
#include "tuning/measure/placements.h"
#include "tuning/space/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define SAMPLE_COUNT 9
#define COMPARE_SAMPLE_COUNT 30

enum ticket_state { TICKET_BUILDING, TICKET_BUILT, TICKET_MEASURING, TICKET_RELEASED };

struct ticket {
  uint64_t number;
  tune_config config;
  enum ticket_state state;
  unsigned compared; // how often
  double best;       // as measure was told
};

struct null_evaluator {
  tune_null_options options;
  const tune_task *task;
  struct ticket *tickets; // in the order in which their next events come
  size_t count, capacity;
  size_t trace_at;     // of the options' trace: what the next run takes
  tune_random placing; // draws from the options' places
};

double tune_null_bowl(void *user, const tune_space *space, const tune_config *config) {
  (void)user;
  double log_cost = log(TUNE_NULL_BOWL_MINIMUM), last = 0;
  for (size_t i = 0; i < config->count; ++i) {
    const tune_knob *knob = tune_space_knob(space, i);
    uint64_t hash = XXH3_64bits(knob->name, strlen(knob->name));
    // By the whole domain: a config takes as long where some knobs have but one value left.
    size_t count = tune_knob_whole_count(knob);
    if (count < 2)
      continue;
    double at = (double)tune_knob_place(knob, config->choices[i]) / (double)(count - 1);
    double best = (double)(hash % count) / (double)(count - 1);
    double steepness = 0.1 + (double)(hash >> 32 & 0xff) / 256;
    double off = at - best;
    log_cost += steepness * off * off + 0.3 * fabs(off) * last;
    last = fabs(off);
  }
  return exp(log_cost);
}

//===- What a config does -----------------------------------------------------===//

// The digest of the artifact: of the values, as coarse as was asked for.
static tune_digest digest_of(const struct null_evaluator *evaluator, const tune_config *config) {
  const tune_space *space = evaluator->task->space;
  int64_t granularity = evaluator->options.granularity;
  uint64_t hash = 0;
  for (size_t i = 0; i < config->count; ++i) {
    int64_t value = tune_config_value(config, space, i);
    if (granularity > 0)
      value /= granularity;
    hash = XXH3_64bits_withSeed(&value, sizeof value, hash);
  }
  return tune_digest_of_bytes(&hash, sizeof hash);
}

// What random numbers are for: the verdict, and a config's measurement and its comparisons, the
// latter in their order. (A comparison finds the same whether the config was measured before or
// not.)
enum { FOR_VERDICT = 1, FOR_MEASURING = 2, FOR_COMPARING = 3 };

// Numbers that depend on the config and on `purpose` alone.
static tune_random random_for(const struct null_evaluator *evaluator, const tune_config *config,
                              uint64_t purpose) {
  tune_digest digest = digest_of(evaluator, config);
  tune_random random;
  tune_random_init(&random, XXH3_64bits_withSeed(digest.text, strlen(digest.text),
                                                 evaluator->options.seed + (purpose << 32)));
  return random;
}

static double seconds_of(const struct null_evaluator *evaluator, const tune_config *config) {
  tune_null_objective objective = evaluator->options.objective;
  return (objective ? objective : tune_null_bowl)(evaluator->options.user, evaluator->task->space,
                                                  config);
}

static tune_verdict verdict_of(const struct null_evaluator *evaluator, const tune_config *config) {
  const tune_null_options *options = &evaluator->options;
  tune_random random = random_for(evaluator, config, FOR_VERDICT);
  double drawn = tune_random_unit(&random);
  if ((drawn -= options->build_failures) < 0)
    return TUNE_VERDICT_BUILD_FAILED;
  if ((drawn -= options->run_crashes) < 0)
    return TUNE_VERDICT_RUN_CRASHED;
  if ((drawn -= options->wrong_results) < 0)
    return TUNE_VERDICT_WRONG;
  return TUNE_VERDICT_OK;
}

// Fills `samples`. `shift` is what all of them have in common, as on a machine whose clock drifts
// between measurements; each has a smaller noise of its own.
static void draw_samples(const struct null_evaluator *evaluator, const struct ticket *ticket,
                         uint64_t purpose, double shift, double *samples, size_t count) {
  tune_random random = random_for(evaluator, &ticket->config, purpose);
  double noise = evaluator->options.noise;
  double seconds =
      seconds_of(evaluator, &ticket->config) * exp(shift * tune_random_normal(&random));
  for (size_t i = 0; i < count; ++i)
    samples[i] = seconds * exp(0.1 * noise * tune_random_normal(&random));
}

static struct ticket *find_ticket(struct null_evaluator *evaluator, uint64_t number) {
  for (size_t i = 0; i < evaluator->count; ++i)
    if (evaluator->tickets[i].number == number && evaluator->tickets[i].state != TICKET_RELEASED)
      return &evaluator->tickets[i];
  return NULL;
}

static tune_status no_artifact(uint64_t number) {
  return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact",
                          (unsigned long long)number);
}

//===- A machine's noise -------------------------------------------------------===//

typedef struct traced_kernel {
  struct null_evaluator *evaluator;
  double seconds; // of a run that nothing disturbs
} traced_kernel;

// A tune_measure_run.
static tune_status run_traced(void *context, uint64_t repeats, double *out_seconds) {
  traced_kernel *kernel = context;
  const tune_null_options *options = &kernel->evaluator->options;
  *out_seconds = 0;
  for (uint64_t i = 0; i < repeats; ++i) {
    *out_seconds += kernel->seconds * options->trace[kernel->evaluator->trace_at];
    kernel->evaluator->trace_at = (kernel->evaluator->trace_at + 1) % options->trace_count;
  }
  return TUNE_OK;
}

// A config at the place that a placement gives it.
static traced_kernel place_traced(struct null_evaluator *evaluator, const tune_config *config) {
  const tune_null_options *options = &evaluator->options;
  double place = 1;
  if (options->place_count)
    place = options->places[tune_random_below(&evaluator->placing, options->place_count)];
  return (traced_kernel){evaluator, seconds_of(evaluator, config) * place};
}

// Takes the samples of `measurement`.
static tune_timing to_timing(tune_measurement *measurement) {
  tune_timing time = {.samples = measurement->samples,
                      .sample_count = measurement->count,
                      .median = measurement->summary.median,
                      .low = measurement->summary.low,
                      .high = measurement->summary.high,
                      .repeats = measurement->repeats};
  measurement->samples = NULL;
  return time;
}

static tune_status measure_traced(struct null_evaluator *evaluator, const struct ticket *ticket,
                                  tune_evaluation *event) {
  traced_kernel kernel = place_traced(evaluator, &ticket->config);
  tune_measurement measurement;
  TUNE_RETURN_IF_ERROR(tune_measure(run_traced, &kernel,
                                    &(tune_measure_options){.best = ticket->best}, &measurement));
  if (measurement.was_cut)
    event->verdict = TUNE_VERDICT_CUT;
  event->time = to_timing(&measurement);
  event->error = measurement.was_cut ? strdup("surely slower than the best") : NULL;
  return measurement.was_cut && !event->error
             ? tune_status_out_of_memory("out of memory while evaluating configs")
             : TUNE_OK;
}

// Adds the samples of a placement to those of the ones before.
static tune_status append_samples(tune_timing *time, const tune_measurement *measurement) {
  size_t count = time->sample_count + measurement->count;
  double *samples = realloc(time->samples, count * sizeof *samples);
  if (!samples)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  memcpy(samples + time->sample_count, measurement->samples, measurement->count * sizeof *samples);
  time->samples = samples;
  time->sample_count = count;
  return TUNE_OK;
}

static tune_status compare_in_placement(struct null_evaluator *evaluator,
                                        const tune_compare_order *order,
                                        tune_comparison *comparison, tune_placements *placements) {
  traced_kernel *kernels = calloc(order->count, sizeof *kernels);
  tune_measure_subject *subjects = calloc(order->count, sizeof *subjects);
  tune_measurement *measurements = calloc(order->count, sizeof *measurements);
  double *medians = calloc(order->count, sizeof *medians);
  tune_status status = kernels && subjects && measurements && medians
                           ? TUNE_OK
                           : tune_status_out_of_memory("out of memory while evaluating configs");
  for (size_t i = 0; tune_status_is_ok(status) && i < order->count; ++i) {
    const struct ticket *ticket = find_ticket(evaluator, order->tickets[i]);
    if (!ticket || ticket->state != TICKET_BUILT) {
      status = no_artifact(order->tickets[i]);
      break;
    }
    kernels[i] = place_traced(evaluator, &ticket->config);
    subjects[i] = (tune_measure_subject){run_traced, &kernels[i]};
  }
  if (tune_status_is_ok(status)) {
    tune_measure_options options = {.confidence = order->confidence, .placements = TUNE_PLACEMENTS};
    status = tune_measure_interleaved(subjects, order->count, &options, measurements,
                                      comparison->ratios, NULL);
  }
  for (size_t i = 0; tune_status_is_ok(status) && i < order->count; ++i) {
    medians[i] = measurements[i].summary.median;
    status = append_samples(&comparison->times[i], &measurements[i]);
  }
  if (tune_status_is_ok(status))
    tune_placements_add(placements, medians, comparison->ratios, measurements[0].is_whole);
  for (size_t i = 0; measurements && i < order->count; ++i)
    tune_measurement_deinit(&measurements[i]);
  free(medians);
  free(measurements);
  free(subjects);
  free(kernels);
  return status;
}

static tune_status summarize(tune_timing *time) {
  tune_summary summary;
  TUNE_RETURN_IF_ERROR(tune_statistics_summarize(time->samples, time->sample_count, &summary));
  time->median = summary.median;
  time->low = summary.low;
  time->high = summary.high;
  time->repeats = 1;
  return TUNE_OK;
}

static tune_status compare_traced(struct null_evaluator *evaluator, const tune_compare_order *order,
                                  tune_comparison *comparison) {
  tune_placements placements;
  TUNE_RETURN_IF_ERROR(tune_placements_init(&placements, order->count));
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status) && !tune_placements_are_enough(&placements, true))
    status = compare_in_placement(evaluator, order, comparison, &placements);
  if (tune_status_is_ok(status))
    status = tune_placements_get_ratios(&placements, order->confidence, comparison->ratios);
  for (size_t i = 0; tune_status_is_ok(status) && i < order->count; ++i)
    status = summarize(&comparison->times[i]);
  comparison->placements = placements.count;
  tune_placements_deinit(&placements);
  return status;
}

//===- The class --------------------------------------------------------------===//

static void forget_tickets(struct null_evaluator *evaluator) {
  for (size_t i = 0; i < evaluator->count; ++i)
    tune_config_deinit(&evaluator->tickets[i].config);
  evaluator->count = 0;
}

static void null_destroy(void *self) {
  struct null_evaluator *evaluator = self;
  forget_tickets(evaluator);
  free(evaluator->tickets);
  free(evaluator);
}

static tune_status null_open(void *self, const tune_task *task) {
  struct null_evaluator *evaluator = self;
  forget_tickets(evaluator);
  evaluator->task = task;
  return TUNE_OK;
}

static size_t null_capacity(const void *self) {
  const struct null_evaluator *evaluator = self;
  return evaluator->options.capacity ? evaluator->options.capacity : 4;
}

static tune_status null_build(void *self, uint64_t number, const tune_config *config) {
  struct null_evaluator *evaluator = self;
  if (find_ticket(evaluator, number))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu is in use",
                            (unsigned long long)number);
  if (evaluator->count == evaluator->capacity) {
    size_t capacity = evaluator->capacity ? 2 * evaluator->capacity : 16;
    struct ticket *tickets = realloc(evaluator->tickets, capacity * sizeof *tickets);
    if (!tickets)
      return tune_status_out_of_memory("out of memory while evaluating configs");
    evaluator->tickets = tickets;
    evaluator->capacity = capacity;
  }
  struct ticket ticket = {.number = number, .state = TICKET_BUILDING};
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&ticket.config, config));
  evaluator->tickets[evaluator->count++] = ticket;
  return TUNE_OK;
}

static tune_status null_measure(void *self, uint64_t number, double best) {
  struct ticket *ticket = find_ticket(self, number);
  if (!ticket || ticket->state != TICKET_BUILT)
    return no_artifact(number);
  ticket->state = TICKET_MEASURING;
  ticket->best = best; // where nothing takes time, nothing is cut
  return TUNE_OK;
}

static void null_release(void *self, uint64_t number) {
  struct ticket *ticket = find_ticket(self, number);
  if (ticket)
    ticket->state = TICKET_RELEASED;
}

static tune_status build(const struct null_evaluator *evaluator, struct ticket *ticket,
                         tune_evaluation *event) {
  event->stage_seconds[TUNE_STAGE_LOWER] = 0.001;
  ticket->state = TICKET_BUILT;
  if (verdict_of(evaluator, &ticket->config) == TUNE_VERDICT_BUILD_FAILED) {
    event->verdict = TUNE_VERDICT_BUILD_FAILED;
    event->error = strdup("a failure of the null target");
    return event->error ? TUNE_OK
                        : tune_status_out_of_memory("out of memory while evaluating configs");
  }
  event->digest = strdup(digest_of(evaluator, &ticket->config).text);
  return event->digest ? TUNE_OK
                       : tune_status_out_of_memory("out of memory while evaluating configs");
}

static tune_status measure(struct null_evaluator *evaluator, struct ticket *ticket,
                           tune_evaluation *event) {
  event->is_measured = true;
  event->stage_seconds[TUNE_STAGE_MEASURE] = 0.001;
  event->verdict = verdict_of(evaluator, &ticket->config);
  ticket->state = TICKET_BUILT;
  if (event->verdict != TUNE_VERDICT_RUN_CRASHED) {
    event->run.check.is_known = true;
    event->run.check.tolerance = 1e-5;
    event->run.check.error = event->verdict == TUNE_VERDICT_WRONG ? 1 : 1e-6;
  }
  if (event->verdict != TUNE_VERDICT_OK) {
    event->error = strdup("a failure of the null target");
    return event->error ? TUNE_OK
                        : tune_status_out_of_memory("out of memory while evaluating configs");
  }
  if (evaluator->options.trace)
    return measure_traced(evaluator, ticket, event);
  event->time.samples = malloc(SAMPLE_COUNT * sizeof *event->time.samples);
  if (!event->time.samples)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  event->time.sample_count = SAMPLE_COUNT;
  draw_samples(evaluator, ticket, FOR_MEASURING, evaluator->options.noise, event->time.samples,
               SAMPLE_COUNT);
  return summarize(&event->time);
}

// Measurements come before builds, as where they have a core to themselves.
static struct ticket *next_ticket(struct null_evaluator *evaluator) {
  struct ticket *building = NULL;
  for (size_t i = 0; i < evaluator->count; ++i) {
    struct ticket *ticket = &evaluator->tickets[i];
    if (ticket->state == TICKET_MEASURING)
      return ticket;
    if (ticket->state == TICKET_BUILDING && !building)
      building = ticket;
  }
  return building;
}

static tune_status null_wait(void *self, double seconds, tune_evaluation *event, bool *out_any) {
  (void)seconds; // never long
  struct null_evaluator *evaluator = self;
  *event = (tune_evaluation){0};
  struct ticket *ticket = next_ticket(evaluator);
  *out_any = ticket != NULL;
  if (!ticket)
    return TUNE_OK;
  event->ticket = ticket->number;
  tune_status status = ticket->state == TICKET_MEASURING ? measure(evaluator, ticket, event)
                                                         : build(evaluator, ticket, event);
  if (!tune_status_is_ok(status)) {
    *out_any = false;
    tune_evaluation_deinit(event);
  }
  return status;
}

static tune_status compare_one(const struct null_evaluator *evaluator, struct ticket *ticket,
                               double confidence, tune_timing *time, const tune_timing *first,
                               tune_ratio *ratio) {
  time->samples = malloc(COMPARE_SAMPLE_COUNT * sizeof *time->samples);
  if (!time->samples)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  time->sample_count = COMPARE_SAMPLE_COUNT;
  // Interleaved, they drift together, which drops out of the ratios.
  draw_samples(evaluator, ticket, FOR_COMPARING + ticket->compared++, 0, time->samples,
               COMPARE_SAMPLE_COUNT);
  TUNE_RETURN_IF_ERROR(summarize(time));
  return tune_statistics_ratio(time->samples, first->samples, COMPARE_SAMPLE_COUNT, confidence,
                               ratio);
}

static tune_status null_compare(void *self, const tune_compare_order *order,
                                tune_comparison *comparison) {
  struct null_evaluator *evaluator = self;
  size_t count = order->count;
  // Of each interval, so that all hold together, as in tune_measure_interleaved.
  double confidence = 1 - (1 - order->confidence) / (double)(count - 1);
  *comparison = (tune_comparison){.count = count};
  comparison->times = calloc(count, sizeof *comparison->times);
  comparison->ratios = calloc(count, sizeof *comparison->ratios);
  tune_status status = comparison->times && comparison->ratios
                           ? TUNE_OK
                           : tune_status_out_of_memory("out of memory while evaluating configs");
  if (tune_status_is_ok(status) && evaluator->options.trace)
    status = compare_traced(evaluator, order, comparison);
  for (size_t i = 0; tune_status_is_ok(status) && i < count && !evaluator->options.trace; ++i) {
    struct ticket *ticket = find_ticket(evaluator, order->tickets[i]);
    status = ticket && ticket->state == TICKET_BUILT
                 ? compare_one(evaluator, ticket, confidence, &comparison->times[i],
                               &comparison->times[0], &comparison->ratios[i])
                 : no_artifact(order->tickets[i]);
  }
  if (!tune_status_is_ok(status))
    tune_comparison_deinit(comparison);
  return status;
}

static tune_status null_cancel(void *self) {
  struct null_evaluator *evaluator = self;
  for (size_t i = 0; i < evaluator->count; ++i) {
    struct ticket *ticket = &evaluator->tickets[i];
    if (ticket->state == TICKET_BUILDING)
      ticket->state = TICKET_RELEASED;
    if (ticket->state == TICKET_MEASURING)
      ticket->state = TICKET_BUILT;
  }
  return TUNE_OK;
}

static void null_close(void *self) {
  struct null_evaluator *evaluator = self;
  forget_tickets(evaluator);
  evaluator->task = NULL;
}

static const tune_evaluator_class null_class = {
    .name = "null",
    .destroy = null_destroy,
    .open = null_open,
    .capacity = null_capacity,
    .build = null_build,
    .measure = null_measure,
    .release = null_release,
    .wait = null_wait,
    .compare = null_compare,
    .cancel = null_cancel,
    .close = null_close,
};

tune_status tune_evaluator_null_create(const tune_null_options *options,
                                       tune_evaluator *out_evaluator) {
  struct null_evaluator *evaluator = calloc(1, sizeof *evaluator);
  if (!evaluator)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  evaluator->options = *options;
  tune_random_init(&evaluator->placing, options->seed);
  if (options->trace)
    evaluator->trace_at = XXH3_64bits(&options->seed, sizeof options->seed) % options->trace_count;
  *out_evaluator = (tune_evaluator){&null_class, evaluator};
  return TUNE_OK;
}
