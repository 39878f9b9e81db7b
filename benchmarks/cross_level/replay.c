//===- replay.c - Searches over a table of measured configs -------------------===//
//
//   tune_cross_level_replay TABLE STRATEGY LEVELS SEEDS TRIALS SECONDS
//
// Searches the space of a table (table.h) by the sessions of tune-search, which build and measure
// nothing: a candidate takes the time that it took when the table was recorded, also on the clock
// that the search goes by. A seed is told the times of one recording. For each seed from 0 on a
// line of JSON says what came of it: how many trials it made in how many seconds, and the time of
// the config that it would have chosen, the least of all recordings. STRATEGY and LEVELS are
// those of tune-search; TRIALS or SECONDS may be 0, without such a bound.
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "support/digest.h"
#include "table.h"
#include "tuning/session/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double now; // of the search's clock

double __wrap_tune_clock_seconds(void);
double __wrap_tune_clock_seconds(void) { return now; }

static void check(tune_status status) {
  if (tune_status_is_ok(status))
    return;
  fprintf(stderr, "tune_cross_level_replay: %s\n", tune_status_get_message(status));
  exit(2);
}

//===- The evaluator ----------------------------------------------------------===//

// One candidate at a time, as far as the clock goes: what is built is measured before the next one
// is.
typedef struct replay {
  const measured_table *table;
  size_t recording;
  uint64_t building, measuring; // tickets; 0: none
  const table_row **rows;       // by ticket
  size_t capacity;
  const table_row *best; // of those measured, by what the search is told
} replay;

static double told(const replay *self, const table_row *row) {
  return row->least > 0 ? row->seconds[self->recording] : 0;
}

static void replay_destroy(void *state) { (void)state; }

static tune_status replay_open(void *state, const tune_task *task) {
  (void)state, (void)task;
  return TUNE_OK;
}

static size_t replay_capacity(const void *state) {
  (void)state;
  return 1;
}

static tune_status replay_build(void *state, uint64_t ticket, const tune_config *config) {
  replay *self = state;
  const table_row *row = table_find(self->table, config);
  if (!row)
    return tune_status_make(TUNE_INTERNAL, "a config that the table does not have");
  if (ticket >= self->capacity) {
    self->capacity = 2 * ticket + 16;
    self->rows = realloc(self->rows, self->capacity * sizeof *self->rows);
  }
  if (!self->rows)
    return tune_status_out_of_memory("replaying a table");
  self->rows[ticket] = row;
  self->building = ticket;
  return TUNE_OK;
}

static tune_status replay_measure(void *state, uint64_t ticket, double best) {
  (void)best; // nothing is cut: the table has the whole time
  ((replay *)state)->measuring = ticket;
  return TUNE_OK;
}

static void replay_release(void *state, uint64_t ticket) { (void)state, (void)ticket; }

static tune_status take_build(const table_row *row, tune_evaluation *event) {
  now += row->build_seconds;
  event->stage_seconds[TUNE_STAGE_LOWER] = row->build_seconds;
  if (!(row->least > 0)) {
    event->verdict = TUNE_VERDICT_BUILD_FAILED;
    event->error = strdup("it failed when the table was recorded");
    return event->error ? TUNE_OK : tune_status_out_of_memory("replaying a table");
  }
  event->digest = strdup(tune_digest_of_bytes(&row->code, sizeof row->code).text);
  return event->digest ? TUNE_OK : tune_status_out_of_memory("replaying a table");
}

static tune_status take_time(replay *self, const table_row *row, tune_evaluation *event) {
  now += row->measure_seconds;
  double seconds = told(self, row);
  event->is_measured = true;
  event->stage_seconds[TUNE_STAGE_MEASURE] = row->measure_seconds;
  event->run.check.is_known = true;
  event->run.check.tolerance = 1;
  event->time = (tune_timing){.median = seconds, .low = seconds, .high = seconds, .repeats = 1};
  event->time.samples = malloc(sizeof seconds);
  if (!event->time.samples)
    return tune_status_out_of_memory("replaying a table");
  event->time.samples[0] = seconds;
  event->time.sample_count = 1;
  if (!self->best || seconds < told(self, self->best))
    self->best = row;
  return TUNE_OK;
}

static tune_status replay_wait(void *state, double seconds, tune_evaluation *event, bool *out_any) {
  (void)seconds;
  replay *self = state;
  uint64_t *ticket = self->measuring ? &self->measuring : &self->building;
  bool is_measured = ticket == &self->measuring;
  *event = (tune_evaluation){.ticket = *ticket};
  *out_any = *ticket != 0;
  *ticket = 0;
  if (!*out_any)
    return TUNE_OK;
  const table_row *row = self->rows[event->ticket];
  return is_measured ? take_time(self, row, event) : take_build(row, event);
}

static tune_status replay_compare(void *state, const tune_compare_order *order,
                                  tune_comparison *comparison) {
  (void)state, (void)order, (void)comparison;
  return tune_status_make(TUNE_INTERNAL, "a table is not measured again");
}

static tune_status replay_cancel(void *state) {
  replay *self = state;
  self->building = self->measuring = 0;
  return TUNE_OK;
}

static void replay_close(void *state) { (void)state; }

static const tune_evaluator_class replay_class = {
    .name = "replay",
    .destroy = replay_destroy,
    .open = replay_open,
    .capacity = replay_capacity,
    .build = replay_build,
    .measure = replay_measure,
    .release = replay_release,
    .wait = replay_wait,
    .compare = replay_compare,
    .cancel = replay_cancel,
    .close = replay_close,
};

//===- Searches ---------------------------------------------------------------===//

static void search(const measured_table *table, tune_session_options options, size_t recording) {
  const tune_task task = {.key = "0123456789abcdef",
                          .name = "a table",
                          .schedule_digest = "",
                          .space = table->space,
                          .reduction = 1};
  replay self = {.table = table, .recording = recording};
  tune_evaluator evaluator = {&replay_class, &self};
  tune_session_result result;
  now = 1;
  check(tune_session_run(&task, &options, &evaluator, NULL, &result));
  printf("{\"seed\": %" PRIu64 ", \"trials\": %zu, \"seconds\": %.6g, \"best\": %.6g}\n",
         options.strategy_options.seed, result.trials, now - 1, self.best ? self.best->least : 0);
  tune_session_result_deinit(&result);
  free(self.rows);
}

static double number(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0)) {
    fprintf(stderr, "tune_cross_level_replay: '%s' is no number\n", text);
    exit(2);
  }
  return value;
}

int main(int argc, char **argv) {
  measured_table table;
  tune_session_options options;
  unsigned levels;
  if (argc != 7) {
    fprintf(stderr, "tune_cross_level_replay TABLE STRATEGY LEVELS SEEDS TRIALS SECONDS\n");
    return 2;
  }
  tune_session_options_init(&options);
  table_read(argv[1], &table);
  options.strategy = argv[2];
  options.fingerprint = "table";
  options.finalists = 0;
  check(tune_layers_parse(argv[3], &options.layers, &levels));
  if (!options.layers.count && levels) {
    fprintf(stderr, "tune_cross_level_replay: of levels together there is joint: all of them\n");
    return 2;
  }
  options.trials = (size_t)number(argv[5]);
  options.seconds = number(argv[6]);
  if (!options.trials)
    options.trials = table.count;
  for (uint64_t seed = 0; seed < (uint64_t)number(argv[4]); ++seed) {
    options.strategy_options.seed = seed;
    search(&table, options, seed % table.recordings);
  }
  table_deinit(&table);
  return 0;
}
