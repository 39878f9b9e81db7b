//===- trial.c - Running candidates: check, time, check ---------------------------------===//

#include "tools/tune-measure/trial.h"
#include "support/digest.h"
#include "support/json.h"
#include "support/string_builder.h"
#include "targets/npy.h"
#include "tools/tune-measure/counters.h"
#include "tuning/record/check_result.h"
#include "tuning/space/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEASURE_SECONDS 20 // unless "limits" says otherwise
// A candidate that needs this much for its few runs, beside the time for its samples, is no match
// for the best, whatever the limits; nor for the plain lowering, where no best is known and that
// ran where the candidate does.
#define SECONDS_BESIDE 5.0
#define BESTS 50.0
#define REFERENCES 200.0
// What was cut is counted only where a pass takes no longer than this, in seconds: it is slow, and
// will not win.
#define CUT_PASS_SECONDS 0.1
// Pages between two artifacts that are compared.
#define MOST_GAP 64

static const char loading[] = "loading";

// What is the same later need not be compared with the reference again, which takes longer.
typedef struct seen_output {
  tune_value_type type;
  tune_digest digest; // of its bytes
} seen_output;

// A candidate in this process. Nothing of it is released where the child ends anyway.
typedef struct subject {
  const task *of;
  child_notes *notes;
  size_t index;
  tune_target *target; // that it runs on
  tune_kernel *kernel;
  tune_buffer *written; // arguments that are written, as the first run left them
  size_t written_count;
  seen_output *seen;       // by the first check, one for each output
  uint64_t timed_runs;     // how often it was asked to run to be timed
  bool is_settled;         // whether `rewinds` is known
  bool rewinds;            // a run on what the last one left differs from one on the first contents
  const task_inputs *set;  // that it runs on
  bool is_timed;           // what is wrong from now on was right in the first run
  bool is_harmful;         // it wrote to what is not its own: it is not run again
  char *error;             // why it is wrong, or NULL
  tune_check_result check; // the worst so far
  counters counters;       // of runs of their own, where the task counts
} subject;

static tune_status fail(subject *s, const char *where, const char *why) {
  if (s->error)
    return TUNE_OK;
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "%s%s: %s",
                              s->is_timed               ? "right in the first run, wrong later: "
                              : s->set != &s->of->dense ? "on sparse inputs: "
                                                        : "",
                              where, why);
  return tune_string_builder_finish(&text, &s->error);
}

//===- Checking ----------------------------------------------------------------------------===//

// Whether `a` is further out of tolerance than `b`, the worst so far.
static bool is_worse(const tune_check_result *a, const tune_check_result *b) {
  if (!b->is_known)
    return true;
  // Sparse inputs come first, and most often all is exact on them, which says little.
  bool is_preferred = b->is_sparse && !a->is_sparse;
  if (a->tolerance > 0 && b->tolerance > 0) {
    double own = a->error / a->tolerance, other = b->error / b->tolerance;
    return own > other || (own == other && is_preferred);
  }
  bool is_equal = a->error == b->error;
  return a->error > b->error || (is_equal && (b->tolerance == 0 || is_preferred));
}

static void set_type(char to[TUNE_CHECK_TYPE_SIZE], const char *name) {
  (void)snprintf(to, TUNE_CHECK_TYPE_SIZE, "%s", name);
}

static void note_check(subject *s, const tune_output_check *check, tune_element_type type) {
  const tune_tolerance *tolerance = &s->of->tolerance;
  tune_check_result result = {.is_known = true,
                              .error = check->max_error,
                              .tolerance = check->tolerance,
                              .reduction = tolerance->reduction,
                              .magnitude = check->magnitude,
                              .leeway = check->leeway,
                              .is_sparse = s->set != &s->of->dense};
  set_type(result.type, tune_element_type_name(type));
  bool is_float = tune_element_type_is_float(type);
  if (is_float && tolerance->has_accumulator && tolerance->accumulator != type)
    set_type(result.accumulator, tune_element_type_name(tolerance->accumulator));
  if (is_float && tolerance->has_tf32)
    set_type(result.operands, "tf32");
  if (is_worse(&result, &s->check))
    s->check = result;
}

static tune_status check_output(subject *s, size_t index, const tune_buffer *value) {
  const task_inputs *set = s->set;
  const tune_buffer *expected = &set->outputs[index];
  tune_tolerance tolerance = s->of->tolerance;
  if (set->spreads)
    tolerance.spread = set->spreads[index];
  tolerance.exact_limit = set->exact_limit;
  if (set->leeways)
    tolerance.leeways = set->leeways[index];
  tune_output_check check = tune_output_check_run(value, expected, tolerance);
  if (check.element_count)
    note_check(s, &check, expected->type.element);
  if (check.is_equal)
    return TUNE_OK;
  char name[32], *why;
  tune_signature_output_name(&s->of->signature, index, name);
  TUNE_RETURN_IF_ERROR(tune_output_check_to_text(&check, value, expected, &why));
  tune_status status = fail(s, name, why);
  free(why);
  return status;
}

static tune_status check_guards(subject *s) {
  tune_status status = s->of->target->check(s->kernel);
  if (tune_status_get_code(status) != TUNE_DATA_LOSS)
    return status;
  s->is_harmful = true;
  tune_status kept = fail(s, "it writes outside of its arguments", tune_status_get_message(status));
  tune_status_free(status);
  return kept;
}

static tune_status write_output(const tune_text_list *paths, size_t index,
                                const tune_buffer *value) {
  const char *path = paths && index < paths->count ? paths->items[index] : NULL;
  return path ? tune_npy_write(path, value) : TUNE_OK;
}

static bool is_as_seen(const subject *s, size_t index, const tune_buffer *value) {
  const seen_output *seen = &s->seen[index];
  tune_digest digest = tune_digest_of_bytes(value->data, value->size);
  return tune_digest_equal(&seen->digest, &digest) && seen->type.rank == value->type.rank &&
         memcmp(seen->type.shape, value->type.shape, value->type.rank * sizeof(int64_t)) == 0;
}

// Another run on the same inputs made other bits of them, right or not. What adds up in an order
// that is left open may; else threads race, or it reads what nobody wrote.
static tune_status fail_unlike(subject *s, size_t index) {
  char name[32];
  tune_signature_output_name(&s->of->signature, index, name);
  return fail(s, name,
              "within what is allowed, but not what the first run made of the same inputs: "
              "without atomic operations runs have to agree bit for bit");
}

// Reads one output and checks it. Without data in `*out_value` it left none.
static tune_status read_and_check(subject *s, size_t index, tune_buffer *out_value) {
  *out_value = (tune_buffer){0};
  tune_status status = s->of->target->read(s->kernel, index, out_value);
  if (tune_status_get_code(status) == TUNE_DATA_LOSS) {
    tune_status kept = fail(s, "it leaves no output", tune_status_get_message(status));
    tune_status_free(status);
    return kept;
  }
  bool is_checked = s->is_timed && tune_status_is_ok(status) && is_as_seen(s, index, out_value);
  if (!tune_status_is_ok(status) || !s->of->has_reference || is_checked)
    return status;
  TUNE_RETURN_IF_ERROR(check_output(s, index, out_value));
  return s->is_timed && !s->kernel->is_unordered ? fail_unlike(s, index) : TUNE_OK;
}

static tune_status check_all(subject *s) {
  for (size_t i = 0; i < tune_signature_output_count(&s->of->signature); ++i) {
    tune_buffer value;
    tune_status status = read_and_check(s, i, &value);
    tune_buffer_deinit(&value);
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

// Looks at one output of the first run. What it keeps of it goes to `s->written`.
static tune_status take_output(subject *s, size_t index, const tune_text_list *paths) {
  tune_buffer value;
  tune_status status = read_and_check(s, index, &value);
  if (tune_status_is_ok(status) && value.data) {
    s->seen[index] = (seen_output){value.type, tune_digest_of_bytes(value.data, value.size)};
    status = write_output(paths, index, &value);
  }
  if (tune_status_is_ok(status) && index < s->written_count)
    s->written[index] = value;
  else
    tune_buffer_deinit(&value);
  return status;
}

// An artifact that writes to an argument that it only reads corrupts its caller's data, though its
// outputs are right.
static tune_status protect_inputs(const task *t, const task_inputs *set) {
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    if (!t->signature.arguments[i].is_readwrite && !t->signature.arguments[i].is_scalar)
      TUNE_RETURN_IF_ERROR(tune_buffer_protect(&set->values[i]));
  return TUNE_OK;
}

// Gives it the arguments of `set` and runs it once.
static tune_status run_on(subject *s, const task_inputs *set) {
  const task *t = s->of;
  s->set = set;
  TUNE_RETURN_IF_ERROR(t->target->bind(s->kernel, set->values, t->signature.argument_count));
  TUNE_RETURN_IF_ERROR(protect_inputs(t, set));
  s->notes->kernel = s->kernel;
  s->notes->phase = set == &t->dense ? "running" : "running on sparse inputs";
  double seconds;
  TUNE_RETURN_IF_ERROR(t->target->time(s->kernel, 1, &seconds));
  s->notes->phase = "being checked";
  return check_guards(s);
}

static tune_status check_sparse(subject *s) {
  const task *t = s->of;
  for (size_t i = 0; i < t->sparse_count && !s->error; ++i) {
    TUNE_RETURN_IF_ERROR(run_on(s, &t->sparse[i]));
    TUNE_RETURN_IF_ERROR(check_all(s));
  }
  return TUNE_OK;
}

static tune_status load_and_check(const trial_order *order, size_t index, tune_target *target,
                                  child_notes *notes, subject *s) {
  const task *t = order->of;
  *s = (subject){.of = t, .notes = notes, .index = index, .target = target};
  notes->artifact = index;
  notes->kernel = NULL;
  notes->phase = loading;
  if (t->counts) {
    cpu_identity cpu = cpu_identity_here();
    counters_open(&s->counters, &cpu);
  }
  tune_artifact artifact = {order->artifacts[index], &t->signature};
  TUNE_RETURN_IF_ERROR(t->target->load(target, &artifact, &s->kernel));
  s->written_count = tune_signature_output_count(&t->signature) - t->signature.result_count;
  s->written = calloc(s->written_count + 1, sizeof *s->written);
  s->seen = calloc(tune_signature_output_count(&t->signature) + 1, sizeof *s->seen);
  if (!s->written || !s->seen)
    return tune_status_out_of_memory("running an artifact");
  TUNE_RETURN_IF_ERROR(check_sparse(s));
  if (s->is_harmful)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(run_on(s, &t->dense));
  const tune_text_list *paths = index == 0 ? order->outputs : NULL;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i)
    TUNE_RETURN_IF_ERROR(take_output(s, i, paths));
  return TUNE_OK;
}

//===- Timing ------------------------------------------------------------------------------===//

// A kernel that adds to an argument must be given the first contents again, or its numbers grow
// until they are no numbers, and other code runs. One that overwrites it need not, which is found
// by comparing what the second run left with what the first did.
static tune_status settle(subject *s) {
  for (size_t i = 0; i < s->written_count && !s->rewinds; ++i) {
    tune_buffer again;
    TUNE_RETURN_IF_ERROR(s->of->target->read(s->kernel, i, &again));
    s->rewinds = memcmp(again.data, s->written[i].data, again.size) != 0;
    tune_buffer_deinit(&again);
  }
  s->is_settled = true;
  return TUNE_OK;
}

// Threads that race may come out right for as long as one waits for the other: outputs are looked
// at after the first samples, and then ever more rarely, so that few find them in the caches.
static tune_status check_between(subject *s) {
  bool is_due = (s->timed_runs & (s->timed_runs + 1)) == 0;
  s->timed_runs += 1;
  if (s->of->threads == 1 || !is_due || s->rewinds || s->error || !s->of->has_reference)
    return TUNE_OK;
  s->is_timed = true;
  return check_all(s);
}

static tune_status prepare_run(subject *s) {
  s->notes->artifact = s->index;
  s->notes->kernel = s->kernel;
  if (s->rewinds)
    s->of->target->rewind(s->kernel);
  return s->of->flushes_cache && s->of->target->flush ? s->of->target->flush(s->target) : TUNE_OK;
}

static tune_status run_subject(void *context, uint64_t repeats, double *out_seconds) {
  subject *s = context;
  TUNE_RETURN_IF_ERROR(prepare_run(s));
  TUNE_RETURN_IF_ERROR(s->of->target->time(s->kernel, repeats, out_seconds));
  if (!s->is_settled)
    TUNE_RETURN_IF_ERROR(settle(s));
  return check_between(s);
}

// Counts in runs of their own, as many for each pass as a sample has, so that no sample pays for
// it.
static tune_status count_runs(subject *s, const tune_measurement *measurement) {
  double seconds, expected = measurement->summary.median * (double)measurement->repeats;
  if (!s->of->counts || (measurement->was_cut && expected > CUT_PASS_SECONDS))
    return TUNE_OK;
  s->notes->phase = "being counted";
  // Of several artifacts others ran in between.
  TUNE_RETURN_IF_ERROR(run_subject(s, 1, &seconds));
  for (size_t pass = 0; pass < counters_pass_count(&s->counters); ++pass) {
    TUNE_RETURN_IF_ERROR(prepare_run(s));
    counters_start(&s->counters, pass);
    TUNE_RETURN_IF_ERROR(s->of->target->time(s->kernel, measurement->repeats, &seconds));
    counters_stop(&s->counters, pass, measurement->repeats);
  }
  return TUNE_OK;
}

// Looks at the outputs once more after timing: code that races, or that keeps something from run to
// run, may be right at first. Where runs add up, what they left says nothing: then one more run on
// the first contents is looked at.
static tune_status check_again(subject *s) {
  const task *t = s->of;
  s->notes->artifact = s->index;
  s->notes->kernel = s->kernel;
  s->is_timed = true;
  TUNE_RETURN_IF_ERROR(check_guards(s));
  if (!t->has_reference || s->error)
    return TUNE_OK;
  if (s->rewinds) {
    double seconds;
    s->notes->phase = "running after being timed";
    TUNE_RETURN_IF_ERROR(run_subject(s, 1, &seconds));
  }
  s->notes->phase = "being checked again";
  return check_all(s);
}

//===- Reports -----------------------------------------------------------------------------===//

static json_t *samples_to_json(const tune_measurement *m) {
  json_t *samples = json_array();
  for (size_t i = 0; i < m->count; ++i)
    json_array_append_new(samples, json_real(m->samples[i]));
  return samples;
}

json_t *trial_summary_to_json(const tune_summary *summary) {
  return json_pack("{sfsfsfsfsI}", "median", summary->median, "low", summary->low, "high",
                   summary->high, "noise", summary->noise, "outliers",
                   (json_int_t)summary->outlier_count);
}

json_t *trial_ratio_to_json(const tune_ratio *ratio) {
  return json_pack("{sfsfsf}", "ratio", ratio->ratio, "low", ratio->low, "high", ratio->high);
}

// `measurement` may be NULL: it was not timed.
static tune_status report_subject(const subject *s, const tune_measurement *measurement,
                                  json_t **out_report) {
  const char *verdict = s->error ? "wrong" : measurement && measurement->was_cut ? "cut" : "ok";
  json_t *report = tune_json_pack("{ss ss*}", "verdict", verdict, "error", s->error);
  if (s->of->has_reference)
    json_object_set_new(report, "check", tune_check_result_to_json(&s->check));
  if (measurement && measurement->was_cut)
    json_object_set_new(report, "error", json_string("surely slower than the best"));
  if (measurement) {
    json_object_set_new(report, "samples", samples_to_json(measurement));
    json_object_set_new(report, "repeats", json_integer((json_int_t)measurement->repeats));
    json_object_update_new(report, trial_summary_to_json(&measurement->summary));
  }
  json_t *counted = NULL;
  if (measurement && s->counters.runs[0])
    TUNE_RETURN_IF_ERROR(counters_to_json(&s->counters, &counted));
  if (counted)
    json_object_set_new(report, "counters", counted);
  *out_report = report;
  return report ? TUNE_OK : tune_status_out_of_memory("reporting");
}

// What an artifact that is none, takes more memory than there is, or loses the device comes to: a
// failed candidate, not a failed request.
static tune_status report_failure(tune_status failure, const child_notes *notes, bool is_compare,
                                  json_t **out_report) {
  tune_status_code code = tune_status_get_code(failure);
  bool is_its_own = code == TUNE_OUT_OF_MEMORY || code == TUNE_DATA_LOSS ||
                    (code == TUNE_INVALID_ARGUMENT && notes->phase == loading);
  if (!is_its_own)
    return failure;
  json_t *report =
      json_pack("{ss ss}", "verdict", "run-crashed", "error", tune_status_get_message(failure));
  if (!report)
    return failure;
  tune_status_free(failure);
  if (is_compare)
    json_object_set_new(report, "artifact", json_integer((json_int_t)notes->artifact));
  *out_report = report;
  return TUNE_OK;
}

static tune_measure_options options_of(const trial_order *order) {
  tune_measure_options options = order->options;
  options.one_run = order->of->flushes_cache;
  return options;
}

static tune_status measure_one(const trial_order *order, child_notes *notes, json_t **out_report) {
  tune_target *target;
  subject s;
  TUNE_RETURN_IF_ERROR(task_open_target(order->of, &target));
  TUNE_RETURN_IF_ERROR(load_and_check(order, 0, target, notes, &s));
  if (s.error)
    return report_subject(&s, NULL, out_report);
  notes->phase = "being timed";
  tune_measurement measurement;
  tune_measure_options options = options_of(order);
  TUNE_RETURN_IF_ERROR(tune_measure(run_subject, &s, &options, &measurement));
  TUNE_RETURN_IF_ERROR(count_runs(&s, &measurement));
  // What is cut will not win, right or wrong.
  TUNE_RETURN_IF_ERROR(measurement.was_cut ? check_guards(&s) : check_again(&s));
  return report_subject(&s, s.error ? NULL : &measurement, out_report);
}

tune_status trial_measure(void *context, child_notes *notes, json_t **out_report) {
  tune_status status = measure_one(context, notes, out_report);
  return report_failure(status, notes, false, out_report);
}

static tune_status report_all(const subject *subjects, const tune_measurement *measurements,
                              const tune_ratio *ratios, size_t count, json_t **out_report) {
  json_t *results = json_array(), *ratio_array = json_array();
  const subject *wrong = NULL;
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    json_t *result = NULL;
    status = report_subject(&subjects[i], &measurements[i], &result);
    json_array_append_new(results, result);
    json_array_append_new(ratio_array, trial_ratio_to_json(&ratios[i]));
    if (!wrong && subjects[i].error)
      wrong = &subjects[i];
  }
  *out_report = tune_json_pack("{ss ss* sI soso sb}", "verdict", wrong ? "wrong" : "ok", "error",
                               wrong ? wrong->error : NULL, "artifact",
                               (json_int_t)(wrong ? wrong->index : 0), "results", results, "ratios",
                               ratio_array, "whole", measurements[0].is_whole);
  if (*out_report && !wrong)
    json_object_del(*out_report, "artifact");
  if (!*out_report && tune_status_is_ok(status))
    status = tune_status_out_of_memory("reporting");
  return status;
}

// What has written beyond its memory is not timed: what it does then may be anything, to the others
// as well.
static tune_status report_harm(const subject *s, json_t **out_report) {
  *out_report = json_pack("{ss ss sI}", "verdict", "wrong", "error", s->error, "artifact",
                          (json_int_t)s->index);
  return *out_report ? TUNE_OK : tune_status_out_of_memory("reporting");
}

// Children of one process find memory as it is in that, and what they load lies in the same places
// each time. So each load has another order, and gaps of other sizes in between.
static tune_status load_all(const trial_order *order, tune_target *target, child_notes *notes,
                            subject *subjects, size_t *out_harmful) {
  size_t count = order->artifact_count, *turns = calloc(count, sizeof *turns);
  if (!turns)
    return tune_status_out_of_memory("comparing");
  tune_random random;
  tune_random_init(&random, order->load);
  *out_harmful = count;
  for (size_t i = 0; i < count; ++i) {
    size_t other = (size_t)tune_random_below(&random, i + 1);
    turns[i] = turns[other];
    turns[other] = i;
  }
  for (size_t i = 0; i < count && *out_harmful == count; ++i) {
    size_t bytes = (1 + (size_t)tune_random_below(&random, MOST_GAP)) * (size_t)getpagesize();
    // Where there is none to be had, it lies where it lies.
    (void)mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    subject *s = &subjects[turns[i]];
    TUNE_RETURN_IF_ERROR(load_and_check(order, turns[i], target, notes, s));
    if (s->is_harmful)
      *out_harmful = turns[i];
  }
  free(turns);
  return TUNE_OK;
}

static tune_status compare_all(const trial_order *order, child_notes *notes, json_t **out_report) {
  size_t count = order->artifact_count, harmful = count;
  subject *subjects = calloc(count, sizeof *subjects);
  tune_measure_subject *runs = calloc(count, sizeof *runs);
  tune_measurement *measurements = calloc(count, sizeof *measurements);
  tune_ratio *ratios = calloc(count, sizeof *ratios);
  if (!subjects || !runs || !measurements || !ratios)
    return tune_status_out_of_memory("comparing");
  tune_target *target;
  TUNE_RETURN_IF_ERROR(task_open_target(order->of, &target));
  TUNE_RETURN_IF_ERROR(load_all(order, target, notes, subjects, &harmful));
  if (harmful < count)
    return report_harm(&subjects[harmful], out_report);
  for (size_t i = 0; i < count; ++i)
    runs[i] = (tune_measure_subject){run_subject, &subjects[i]};
  notes->phase = "being timed";
  tune_measure_options options = options_of(order);
  TUNE_RETURN_IF_ERROR(tune_measure_interleaved(runs, count, &options, measurements, ratios, NULL));
  for (size_t i = 0; i < count; ++i) {
    if (order->load == 0)
      TUNE_RETURN_IF_ERROR(count_runs(&subjects[i], &measurements[i]));
    TUNE_RETURN_IF_ERROR(check_again(&subjects[i]));
  }
  return report_all(subjects, measurements, ratios, count, out_report);
}

tune_status trial_compare(void *context, child_notes *notes, json_t **out_report) {
  tune_status status = compare_all(context, notes, out_report);
  return report_failure(status, notes, true, out_report);
}

//===- In the parent -----------------------------------------------------------------------===//

json_t *trial_reply(const child_outcome *outcome, bool names_artifact) {
  static const char *const verdicts[] = {[CHILD_CRASHED] = "run-crashed",
                                         [CHILD_TIMED_OUT] = "run-timeout",
                                         [CHILD_CANCELLED] = "cancelled"};
  bool has_report = outcome->end == CHILD_REPORTED;
  json_t *reply = has_report ? json_incref(outcome->report)
                             : tune_json_pack("{ss ss*}", "verdict", verdicts[outcome->end],
                                              "error", outcome->error);
  if (reply && names_artifact && !has_report && outcome->end != CHILD_CANCELLED)
    json_object_set_new(reply, "artifact", json_integer((json_int_t)outcome->artifact));
  tune_reply_head head = {.waited = outcome->waited, .run_again = outcome->was_run_again};
  tune_status status = tune_reply_add_head(&head, reply);
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    json_decref(reply);
    return NULL;
  }
  return reply;
}

// How long a candidate may take; INFINITY where nothing is known.
static double enough_seconds(const task *of, const tune_measure_options *options) {
  double runs = BESTS * options->best;
  if (!(options->best > 0) && of->target == &tune_target_cpu)
    runs = REFERENCES * of->reference_seconds;
  return runs > 0 ? SECONDS_BESIDE + options->budget + runs : INFINITY;
}

tune_status trial_measure_in_child(const task *of, const tune_measure_request *request,
                                   const child_watch *watch, json_t **out_reply) {
  const char *artifact = request->artifact;
  trial_order order = {.of = of,
                       .artifacts = &artifact,
                       .artifact_count = 1,
                       .options = task_make_measure_options(&request->measure, request->best)};
  child_limits limits = task_make_limits(&request->limits, of, MEASURE_SECONDS);
  limits.seconds = fmin(limits.seconds, enough_seconds(of, &order.options));
  child_outcome outcome;
  TUNE_RETURN_IF_ERROR(child_run(trial_measure, &order, &limits, watch, &outcome));
  *out_reply = trial_reply(&outcome, false);
  child_outcome_deinit(&outcome);
  return *out_reply ? TUNE_OK : tune_status_out_of_memory("reporting");
}
