//===- subject.c --------------------------------------------------------------------------===//

#include "tools/tune-measure/subject.h"
#include "support/string_builder.h"
#include "targets/npy.h"

#include <stdlib.h>
#include <string.h>

// What was cut is counted only where a pass takes no longer than this, in seconds: it is slow, and
// will not win.
#define CUT_PASS_SECONDS 0.1

const char subject_loading[] = "loading";

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

static void note_check(subject *s, const tune_output_check *check, const tune_tolerance *tolerance,
                       tune_element_type type) {
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
  if (is_float)
    set_type(result.operands, tune_factors_name(tolerance->factors));
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
  tolerance.has_signed_zeros = s->of->signature.keeps_zeros && s->of->target == &tune_target_cpu;
  if (set->reduction)
    tolerance.reduction = set->reduction;
  if (set->leeways)
    tolerance.leeways = set->leeways[index];
  tune_output_check check = tune_output_check_run(value, expected, tolerance);
  if (check.element_count)
    note_check(s, &check, &tolerance, expected->type.element);
  if (check.is_equal)
    return TUNE_OK;
  char name[32], *why;
  tune_signature_output_name(&s->of->signature, index, name);
  TUNE_RETURN_IF_ERROR(tune_output_check_to_text(&check, value, expected, &why));
  tune_status status = fail(s, name, why);
  free(why);
  return status;
}

tune_status subject_check_guards(subject *s) {
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

// Looks at one output of the first run.
static tune_status take_output(subject *s, size_t index, const tune_text_list *paths) {
  tune_buffer value;
  tune_status status = read_and_check(s, index, &value);
  if (tune_status_is_ok(status) && value.data) {
    s->seen[index] = (seen_output){value.type, tune_digest_of_bytes(value.data, value.size)};
    status = write_output(paths, index, &value);
  }
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
  child_notes_begin(s->notes);
  TUNE_RETURN_IF_ERROR(t->target->bind(s->kernel, set->values, t->signature.argument_count));
  TUNE_RETURN_IF_ERROR(protect_inputs(t, set));
  s->notes->kernel = s->kernel;
  s->notes->phase = set == &t->dense ? "running" : "running on sparse inputs";
  double seconds;
  TUNE_RETURN_IF_ERROR(t->target->time(s->kernel, 1, &seconds));
  s->notes->phase = "being checked";
  return subject_check_guards(s);
}

static tune_status check_sparse(subject *s) {
  const task *t = s->of;
  for (size_t i = 0; i < t->sparse_count && !s->error; ++i) {
    TUNE_RETURN_IF_ERROR(run_on(s, &t->sparse[i]));
    TUNE_RETURN_IF_ERROR(check_all(s));
  }
  return TUNE_OK;
}

tune_status subject_load_and_check(subject *s, const char *path, const tune_text_list *outputs) {
  const task *t = s->of;
  s->notes->artifact = s->index;
  s->notes->kernel = NULL;
  s->notes->phase = subject_loading;
  child_notes_begin(s->notes);
  if (t->counts) {
    cpu_identity cpu = cpu_identity_here();
    counters_open(&s->counters, &cpu);
  }
  tune_artifact artifact = {path, &t->signature};
  TUNE_RETURN_IF_ERROR(t->target->load(s->target, &artifact, &s->kernel));
  s->seen = calloc(tune_signature_output_count(&t->signature) + 1, sizeof *s->seen);
  if (!s->seen)
    return tune_status_out_of_memory("running an artifact");
  TUNE_RETURN_IF_ERROR(check_sparse(s));
  if (s->is_harmful)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(run_on(s, &t->dense));
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i)
    TUNE_RETURN_IF_ERROR(take_output(s, i, outputs));
  return TUNE_OK;
}

//===- Timing ------------------------------------------------------------------------------===//

// Threads that race make other results, too, of the same inputs: looked at once more, since what is
// rewound is not looked at between samples.
static tune_status settle_races(subject *s) {
  double seconds;
  if (s->of->threads == 1 || !s->of->has_reference || s->error)
    return TUNE_OK;
  s->of->target->rewind(s->kernel);
  TUNE_RETURN_IF_ERROR(s->of->target->time(s->kernel, 1, &seconds));
  s->is_timed = true;
  return check_all(s);
}

// A kernel that adds to an argument must be given the first contents again, or its numbers grow
// until they are no numbers, and other code runs. One that overwrites it need not, which is found
// by comparing what the second run left with what the first did: also of results, which may be made
// of what was overwritten.
static tune_status settle(subject *s) {
  size_t count = tune_signature_output_count(&s->of->signature), i = 0;
  size_t written = count - s->of->signature.result_count;
  s->is_settled = true;
  for (; i < count && written > 0 && !s->rewinds; ++i) {
    tune_buffer again = {0};
    tune_status status = s->of->target->read(s->kernel, i, &again);
    if (i >= written && tune_status_get_code(status) == TUNE_DATA_LOSS) { // the check says so
      tune_status_free(status);
      break;
    }
    TUNE_RETURN_IF_ERROR(status);
    s->rewinds = !is_as_seen(s, i, &again);
    tune_buffer_deinit(&again);
  }
  return s->rewinds && i > written ? settle_races(s) : TUNE_OK;
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

tune_status subject_flush(subject *s, double *out_seconds) {
  *out_seconds = 0;
  if (!s->of->flushes_cache || !s->of->target->flush)
    return TUNE_OK;
  child_notes_begin_beside(s->notes);
  tune_status status = s->of->target->flush(s->target);
  *out_seconds = child_notes_end_beside(s->notes);
  return status;
}

static tune_status prepare_run(subject *s) {
  double seconds;
  TUNE_RETURN_IF_ERROR(subject_flush(s, &seconds));
  child_notes_begin(s->notes);
  s->notes->artifact = s->index;
  s->notes->kernel = s->kernel;
  if (s->rewinds)
    s->of->target->rewind(s->kernel);
  return TUNE_OK;
}

tune_status subject_run(void *context, uint64_t repeats, double *out_seconds) {
  subject *s = context;
  TUNE_RETURN_IF_ERROR(prepare_run(s));
  TUNE_RETURN_IF_ERROR(s->of->target->time(s->kernel, repeats, out_seconds));
  TUNE_RETURN_IF_ERROR(task_times_add(&s->task_times, s->kernel, repeats));
  if (!s->is_settled)
    TUNE_RETURN_IF_ERROR(settle(s));
  return check_between(s);
}

tune_status subject_count_runs(subject *s, const tune_measurement *measurement) {
  double seconds, expected = measurement->summary.median * (double)measurement->repeats;
  if (!s->of->counts || (measurement->was_cut && expected > CUT_PASS_SECONDS))
    return TUNE_OK;
  s->notes->phase = "being counted";
  // Of several artifacts others ran in between.
  TUNE_RETURN_IF_ERROR(subject_run(s, 1, &seconds));
  for (size_t pass = 0; pass < counters_pass_count(&s->counters); ++pass) {
    TUNE_RETURN_IF_ERROR(prepare_run(s));
    counters_start(&s->counters, pass);
    TUNE_RETURN_IF_ERROR(s->of->target->time(s->kernel, measurement->repeats, &seconds));
    counters_stop(&s->counters, pass, measurement->repeats);
  }
  return TUNE_OK;
}

tune_status subject_check_again(subject *s) {
  const task *t = s->of;
  s->notes->artifact = s->index;
  s->notes->kernel = s->kernel;
  s->is_timed = true;
  child_notes_begin(s->notes);
  TUNE_RETURN_IF_ERROR(subject_check_guards(s));
  if (!t->has_reference || s->error)
    return TUNE_OK;
  if (s->rewinds) {
    double seconds;
    s->notes->phase = "running after being timed";
    TUNE_RETURN_IF_ERROR(subject_run(s, 1, &seconds));
  }
  s->notes->phase = "being checked again";
  return check_all(s);
}
