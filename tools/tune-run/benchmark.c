//===- benchmark.c ------------------------------------------------------------===//

#include "tools/tune-run/benchmark.h"

#include "formats/signature.h"
#include "support/json.h"
#include "support/units.h"
#include "tools/tune-run/measurement.h"
#include "tools/tune-run/progress.h"
#include "tools/tune-run/wrong_tasks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Above this spread of the samples the machine, or the program, is unsteady.
#define NOISY 0.05
// A share of the samples: some samples of many are always far off, and move no median.
#define OUTLIERS 0.02
// An interval of the median, of its size, above which far samples are worth a word: below it they
// have moved nothing.
#define WIDE 0.04
#define FEW_SAMPLES 6 // fewer give no interval

//===--------------------------------------------------------------------------===//
// Building
//===--------------------------------------------------------------------------===//

static tune_status open_subjects(benchmark *b) {
  size_t count = 1 + b->settings->compare.count;
  b->subjects = calloc(count, sizeof *b->subjects);
  if (!b->subjects)
    return tune_status_out_of_memory("running a module");
  for (size_t i = 0; i < count; ++i) {
    const char *path = i ? b->settings->compare.values[i - 1] : b->settings->module;
    ++b->subject_count;
    TUNE_RETURN_IF_ERROR(subject_open(b->worker, b->settings, b->facts, b->database, &b->inputs,
                                      path, b->subjects, &b->subjects[i]));
  }
  return TUNE_OK;
}

static tune_status name_artifact(const benchmark *b, const char *name, char **out_path) {
  if (asprintf(out_path, "%s/%s.so", tune_scratch_get_path(b->scratch), name) >= 0)
    return TUNE_OK;
  *out_path = NULL;
  return tune_status_out_of_memory("running a module");
}

static tune_status build(benchmark *b) {
  subject_build *builds = calloc(b->subject_count + 1, sizeof *builds);
  if (!builds)
    return tune_status_out_of_memory("running a module");
  tune_status status = TUNE_OK;
  size_t count = 0;
  for (size_t i = 0; i < b->subject_count && tune_status_is_ok(status); ++i) {
    subject *s = &b->subjects[i];
    status = name_artifact(b, s->id, &s->artifact);
    builds[count++] = (subject_build){.of = s, .form = "so", .output = s->artifact};
  }
  if (tune_status_is_ok(status) && b->settings->checks) {
    status = name_artifact(b, "reference", &b->reference);
    builds[count++] =
        (subject_build){.of = &b->subjects[0], .plain = true, .form = "so", .output = b->reference};
  }
  if (tune_status_is_ok(status))
    status = subject_build_all(b->worker, builds, count, b->settings->build_seconds);
  free(builds);
  return status;
}

//===--------------------------------------------------------------------------===//
// Running
//===--------------------------------------------------------------------------===//

// Who times for less than this does not wait half a second for the roofline either.
#define SHORT_SECONDS 0.1
// Some cache holds so much on any CPU.
#define FEW_BYTES (1 << 20)

// Peaks and bandwidths are kept in the database, where it can be written; without one they are
// measured each time.
static tune_status read_roofline(benchmark *b) {
  double bytes = figures_of_tasks(&b->subjects[0].opened.module.tasks, NULL).bytes;
  if (isnan(bytes))
    return TUNE_OK; // nothing to compare with them
  if (!b->database && !b->facts->flushes_cache && bytes < FEW_BYTES &&
      b->settings->seconds < SHORT_SECONDS)
    return tune_target_facts_read_quick_roofline(b->facts);
  tune_database *database = NULL;
  if (b->database)
    tune_status_free(tune_database_open(b->database, &database));
  tune_status status = tune_target_facts_read_roofline(b->facts, database);
  tune_database_destroy(database);
  if (!b->facts->roofline)
    return status;
  tune_status_free(status); // it could not be kept
  return TUNE_OK;
}

// How much faster the fastest module is than the roofline allows; at most 1 where all is well.
static double excess_over_roofline(const benchmark *b) {
  double excess = 0;
  for (size_t i = 0; i < b->subject_count; ++i) {
    double median = benchmark_median(b, i);
    if (median > 0)
      excess = fmax(excess, benchmark_figures(b, i).roofline_seconds / median);
  }
  return excess;
}

// Nothing is faster than the roofline: where something is, that was measured while something else
// ran.
static void check_roofline(benchmark *b) {
  if (!(excess_over_roofline(b) > 1))
    return;
  tune_database *database = NULL;
  if (b->database)
    tune_status_free(tune_database_open(b->database, &database));
  // Where it fails there is a warning about the figure.
  tune_status_free(tune_target_facts_doubt_roofline(b->facts, database));
  tune_database_destroy(database);
}

static tune_status check_output_count(const benchmark *b) {
  tune_signature signature;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(b->subjects[0].opened.signature, &signature));
  size_t count = tune_signature_output_count(&signature);
  tune_signature_deinit(&signature);
  if (b->settings->outputs.count <= count)
    return TUNE_OK;
  return tune_status_make(
      TUNE_INVALID_ARGUMENT, "%zu files by --output where there %s %zu output%s",
      b->settings->outputs.count, count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
}

//===--------------------------------------------------------------------------===//
// What has to be said of it
//===--------------------------------------------------------------------------===//

static tune_status note_dynamic(benchmark *b) {
  tune_signature signature;
  const subject *s = &b->subjects[0];
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(
      s->open_signature ? s->open_signature : s->opened.signature, &signature));
  const tune_shape_list *shapes = &b->run.shapes;
  for (size_t i = 0; i < shapes->count && i < signature.argument_count; ++i) {
    tune_value_type type = signature.arguments[i];
    bool is_given = i < b->inputs.count && b->inputs.paths[i];
    if (is_given || tune_value_type_is_static(&type))
      continue;
    char before[TUNE_VALUE_TYPE_TEXT], after[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(&type, before);
    for (size_t d = 0; d < type.rank && d < shapes->items[i].count; ++d)
      type.shape[d] = shapes->items[i].items[d];
    tune_value_type_to_text(&type, after);
    tune_json_append_text(
        b->notes, "argument %zu, a tensor<%s>, is %s here; --input or --dynamic say otherwise", i,
        before, after);
  }
  tune_signature_deinit(&signature);
  return TUNE_OK;
}

static bool runs_are_known(const tune_described_task_list *tasks) {
  for (size_t i = 0; i < tasks->count; ++i)
    if (tasks->items[i].runs < 0)
      return false;
  return true;
}

static bool has_task_that_runs(const tune_described_task_list *tasks) {
  bool has_one = false;
  for (size_t i = 0; i < tasks->count; ++i)
    has_one |= tasks->items[i].runs != 0;
  return has_one;
}

static bool computes_nothing(const benchmark *b) {
  const tune_described_task_list *tasks = &b->subjects[0].opened.module.tasks;
  return tasks->count > 0 && figures_of_tasks(tasks, NULL).bytes == 0;
}

static void note_tasks(benchmark *b) {
  const tune_described_task_list *tasks = &b->subjects[0].opened.module.tasks;
  if (tasks->count == 0)
    tune_json_append_text(b->notes,
                          "there is nothing to tune in this module: it was lowered as it is");
  else if (isnan(figures_of_tasks(tasks, NULL).bytes))
    tune_json_append_text(b->notes, "work and traffic are not known, since %s",
                          runs_are_known(tasks) ? "some dimensions are known only at run time"
                                                : "it is not known how often some loop or branch "
                                                  "runs");
  else if (computes_nothing(b))
    tune_json_append_text(b->notes, "there is nothing to compute: %s",
                          has_task_that_runs(tasks) ? "what tasks give has no elements"
                                                    : "the loops that tasks are in do not turn");
}

// The values of numbers that the seed has made: loops may run so often.
static void note_scalars(benchmark *b) {
  const tune_scalar_list *scalars = &b->run.scalars;
  for (size_t i = 0; i < scalars->count; ++i) {
    int64_t argument = scalars->items[i].argument;
    char name[GIVEN_ARRAYS_NAME];
    given_arrays_name_argument(&b->inputs, (size_t)argument, name);
    if ((size_t)argument < b->inputs.count && !b->inputs.paths[argument])
      tune_json_append_text(b->notes, "%s is %.17g, by the seed; --input says otherwise", name,
                            scalars->items[i].value);
  }
}

// What --profile adds to all times; where nothing is timed so, why.
static void note_clocks(benchmark *b) {
  const tune_measure_reply *result = benchmark_result(b, 0);
  double calls = 0;
  if (!result || !b->settings->profiles)
    return;
  for (size_t i = 0; i < result->tasks.count; ++i)
    calls += result->tasks.items[i].calls;
  if (calls > 0)
    tune_json_append_text(b->notes,
                          "the module reads the clock %.0f times a run for --profile, which takes "
                          "some 25 ns each and is in its times",
                          2 * calls);
  else
    tune_json_append_text(b->notes, "no task is called in each run, so that there is no profile");
}

// Where plain loops on the CPU are faster than what ran, whoever reads a speed-up below 1 should
// know what to do.
static void note_slower(benchmark *b) {
  double reference = b->run.reference.reference_seconds, median = benchmark_median(b, 0);
  const subject *s = &b->subjects[0];
  if (!(reference > 0) || !(median > 1.1 * reference) || computes_nothing(b) ||
      b->settings->profiles)
    return;
  bool is_default = false;
  for (size_t i = 0; i < s->opened.module.tasks.count; ++i) {
    const char *from = s->opened.module.tasks.items[i].from;
    is_default |= from && strcmp(from, TUNE_FROM_DEFAULT) == 0;
  }
  tune_json_append_text(b->notes, "this is slower than plain loops on the CPU, which took %s%s",
                        tune_figure_seconds(reference).text,
                        is_default ? ": the default schedule loses here, and `tune-opt "
                                     "--tune-search` looks for a better one"
                                   : "");
}

static void note_check(benchmark *b) {
  const tune_reference_facts *reference = &b->run.reference;
  // Of what is inconclusive that is said in the verdict.
  if (reference->unchecked && benchmark_is_ok(b))
    tune_json_append_text(b->notes, "%s, which checks nothing there", reference->unchecked);
}

static void note_counters(benchmark *b) {
  const tune_measure_reply *result = benchmark_result(b, 0);
  const char *missing = result ? tune_counts_missing(result->counters) : NULL;
  if (missing)
    tune_json_append_text(b->notes, "some counters are not known: %s", missing);
}

static void warn_of_peak(benchmark *b) {
  double median = benchmark_median(b, 0);
  if (median > 0 && benchmark_figures(b, 0).peak_seconds > 1.02 * median)
    tune_json_append_text(
        b->warnings,
        "the share of the peak is over 100 %%: the code needs fewer products than the tasks count "
        "(Winograd does), or the peak was measured too low, since something else ran meanwhile");
  else if (excess_over_roofline(b) > 1.02)
    tune_json_append_text(b->warnings,
                          "the share of the roofline is too high: the bandwidth was measured too "
                          "low, or much of the data is in a nearer cache than holds all of them");
}

static void warn_of_samples(benchmark *b, size_t index) {
  const tune_measure_reply *result = benchmark_result(b, index);
  if (!result)
    return;
  const char *of = b->subject_count > 1 ? b->subjects[index].path : "the module";
  size_t count = result->times.samples.count;
  int64_t outliers = result->times.outliers;
  double noise = result->times.noise;
  if (noise > NOISY)
    tune_json_append_text(
        b->warnings,
        "the times of %s are unsteady: they spread by %.1f %%, and %lld of %zu samples are far "
        "off; a quiet machine gives better figures",
        of, 100 * noise, (long long)outliers, count);
  else if (outliers > 0 && (double)outliers >= OUTLIERS * (double)count &&
           result->times.high - result->times.low > WIDE * result->times.median)
    tune_json_append_text(
        b->warnings,
        "of the %zu samples of %s %lld lie far off, and the median is known to %.1f %% only; a "
        "quiet machine, or a larger --time, gives better figures",
        count, of, (long long)outliers,
        50 * (result->times.high - result->times.low) / result->times.median);
  if (count < FEW_SAMPLES)
    tune_json_append_text(
        b->warnings,
        "%zu samples of %s are too few for an interval of 95 %%: it is their range; a larger "
        "--time gives more",
        count, of);
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

static tune_status exchange_all(benchmark *b) {
  tune_run_reply_deinit(&b->run);
  json_decref(b->reply);
  b->reply = NULL;
  b->run = (tune_run_reply){.has_reference = false};
  const measured_subjects all = {.count = b->subject_count, .seconds = b->settings->seconds};
  return measurement_run(b, &all, &b->reply, &b->run);
}

// Whether a module is to blame for its verdict, and another schedule may mend it.
static bool is_mendable(const benchmark *b, size_t index) {
  const char *error, *verdict = benchmark_verdict(b, index, &error);
  bool is_bad = strcmp(verdict, "wrong") == 0 || strcmp(verdict, "run-crashed") == 0;
  return is_bad && !b->settings->is_strict && b->subjects[index].opened.module.tasks.count > 0;
}

// Has the modules that are wrong built by other schedules, and runs all again.
static tune_status mend(benchmark *b) {
  bool any = false;
  for (size_t i = 0; i < b->subject_count; ++i) {
    bool is_mended = false;
    if (is_mendable(b, i)) {
      progress_show("looking for what is wrong");
      TUNE_RETURN_IF_ERROR(wrong_tasks_mend(b, i, &is_mended));
    }
    any |= is_mended;
  }
  return any ? exchange_all(b) : TUNE_OK;
}

static tune_status measure(benchmark *b) {
  TUNE_RETURN_IF_ERROR(check_output_count(b));
  TUNE_RETURN_IF_ERROR(read_roofline(b));
  tune_conditions_look_around(&b->cores, &b->before, b->warnings);
  progress_show("measuring");
  TUNE_RETURN_IF_ERROR(exchange_all(b));
  TUNE_RETURN_IF_ERROR(mend(b));
  tune_conditions_read(&b->cores, &b->after);
  tune_conditions_find_stolen(&b->before, &b->after, b->warnings);
  TUNE_RETURN_IF_ERROR(note_dynamic(b));
  given_arrays_tell(&b->inputs, b->settings, b->notes);
  note_scalars(b);
  note_tasks(b);
  note_slower(b);
  note_clocks(b);
  note_check(b);
  note_counters(b);
  check_roofline(b);
  warn_of_peak(b);
  for (size_t i = 0; i < b->subject_count; ++i)
    warn_of_samples(b, i);
  return TUNE_OK;
}

static tune_status read_expected(benchmark *b) {
  const char *folder = tune_scratch_get_path(b->scratch);
  const run_settings *s = b->settings;
  if (!s->expected)
    return TUNE_OK;
  const tune_check_wanted check = measurement_check(b);
  return expected_create(s->expected, folder, b->subjects[0].opened.signature, &check,
                         &b->expected);
}

static tune_status run(benchmark *b) {
  b->warnings = json_array();
  b->notes = json_array();
  if (!b->warnings || !b->notes)
    return tune_status_out_of_memory("running a module");
  TUNE_RETURN_IF_ERROR(tune_cores_init(&b->cores, b->facts->threads));
  progress_show("building");
  TUNE_RETURN_IF_ERROR(tune_connection_open("tune-worker", &b->worker));
  TUNE_RETURN_IF_ERROR(tune_connection_open("tune-measure", &b->measurer));
  TUNE_RETURN_IF_ERROR(settings_find_database(b->settings, &b->database));
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&b->scratch));
  // Ahead of builds, which take longer than to find that a file is damaged.
  TUNE_RETURN_IF_ERROR(
      given_arrays_unpack(b->settings, tune_scratch_get_path(b->scratch), &b->inputs));
  TUNE_RETURN_IF_ERROR(open_subjects(b));
  TUNE_RETURN_IF_ERROR(read_expected(b));
  TUNE_RETURN_IF_ERROR(build(b));
  TUNE_RETURN_IF_ERROR(measure(b));
  return b->expected && benchmark_result(b, 0) ? expected_compare(b->expected, &b->run) : TUNE_OK;
}

tune_status benchmark_run(const run_settings *settings, tune_target_facts *facts,
                          benchmark **out_benchmark) {
  *out_benchmark = NULL;
  benchmark *b = calloc(1, sizeof *b);
  if (!b) {
    tune_target_facts_destroy(facts);
    return tune_status_out_of_memory("running a module");
  }
  b->settings = settings;
  b->facts = facts;
  tune_status status = run(b);
  progress_clear();
  if (!tune_status_is_ok(status)) {
    benchmark_destroy(b);
    return status;
  }
  *out_benchmark = b;
  return TUNE_OK;
}

void benchmark_destroy(benchmark *b) {
  if (!b)
    return;
  for (size_t i = 0; i < b->subject_count; ++i)
    subject_deinit(&b->subjects[i]);
  free(b->subjects);
  tune_connection_close(b->worker);
  tune_connection_close(b->measurer);
  tune_scratch_destroy(b->scratch);
  tune_cores_deinit(&b->cores);
  tune_target_facts_destroy(b->facts);
  tune_run_reply_deinit(&b->run);
  json_decref(b->reply);
  json_decref(b->warnings);
  json_decref(b->notes);
  given_arrays_deinit(&b->inputs);
  expected_destroy(b->expected);
  free(b->reference);
  free(b->database);
  free(b);
}

const tune_measure_reply *benchmark_result(const benchmark *b, size_t index) {
  const tune_measure_reply_list *results = &b->run.compared.results;
  return index < results->count ? &results->items[index] : NULL;
}

const char *benchmark_verdict(const benchmark *b, size_t index, const char **out_error) {
  const tune_measure_reply *result = benchmark_result(b, index);
  const tune_compare_reply *all = &b->run.compared;
  // What crashed took the others with it: they have no verdict of their own.
  bool is_known =
      result || (all->artifact == TUNE_NO_ARTIFACT ? index == 0 : all->artifact == (int64_t)index);
  *out_error = NULL;
  if (!is_known)
    return "not run";
  *out_error = result ? result->error : all->error;
  const char *verdict = result ? result->verdict : all->verdict;
  if (verdict && strcmp(verdict, TUNE_SAID_OK) == 0 && !b->reference)
    return "not checked";
  return verdict ? verdict : "not run";
}

double benchmark_median(const benchmark *b, size_t index) {
  const tune_measure_reply *result = benchmark_result(b, index);
  return result ? result->times.median : 0;
}

bool benchmark_is_ok(const benchmark *b) {
  const char *verdict = b->run.compared.verdict;
  return verdict && strcmp(verdict, TUNE_SAID_OK) == 0 &&
         (!b->expected || expected_is_equal(b->expected));
}

figures benchmark_figures(const benchmark *b, size_t index) {
  return figures_of_tasks(&b->subjects[index].opened.module.tasks, b->facts);
}
