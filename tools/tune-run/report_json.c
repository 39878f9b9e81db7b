//===- report_json.c - For programs -------------------------------------------------===//

#include "support/json.h"
#include "tools/tune-run/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

// null where it is not known.
static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *nanoseconds(double seconds) {
  return seconds > 0 ? real(seconds * 1e9) : json_null();
}

static json_t *samples_to_json(const json_t *result) {
  const json_t *samples = json_object_get(result, "samples");
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(samples); ++i)
    json_array_append_new(list, nanoseconds(json_number_value(json_array_get(samples, i))));
  return list;
}

static void put_time(const json_t *result, json_t *object) {
  double minimum, maximum;
  report_range(result, &minimum, &maximum);
  json_object_set_new(object, "median_ns", nanoseconds(report_number(result, "median")));
  json_object_set_new(object, "ci95_ns",
                      result ? json_pack("[oo]", nanoseconds(report_number(result, "low")),
                                         nanoseconds(report_number(result, "high")))
                             : json_null());
  json_object_set_new(object, "min_ns", nanoseconds(isfinite(minimum) ? minimum : 0));
  json_object_set_new(object, "max_ns", nanoseconds(maximum));
  json_object_set_new(object, "samples_ns", samples_to_json(result));
  json_object_set_new(object, "runs_per_sample",
                      json_integer(json_integer_value(json_object_get(result, "repeats"))));
  json_object_set_new(object, "outliers",
                      json_integer(json_integer_value(json_object_get(result, "outliers"))));
}

static void put_figures(const figures *work, double median, json_t *object) {
  bool is_timed = median > 0;
  json_object_set_new(object, "flops", real(work->flops));
  json_object_set_new(object, "bytes", real(work->bytes));
  json_object_set_new(object, "gflops", real(is_timed ? work->flops / median / 1e9 : NAN));
  json_object_set_new(object, "gbytes_per_s", real(is_timed ? work->bytes / median / 1e9 : NAN));
  json_object_set_new(object, "percent_of_peak",
                      real(is_timed ? 100 * work->peak_seconds / median : NAN));
  json_object_set_new(object, "percent_of_roofline",
                      real(is_timed ? 100 * work->roofline_seconds / median : NAN));
  json_t *bounds = work->bound_count ? json_object() : json_null();
  for (size_t i = 0; i < work->bound_count; ++i)
    json_object_set_new(bounds, work->bounds[i].name,
                        real(work->bounds[i].seconds / work->roofline_seconds));
  json_object_set_new(object, "bound_by", bounds);
}

// What the check came to and where its limit comes from, as tune-measure says it.
static json_t *check_to_json(const benchmark *b, size_t index, const json_t *result) {
  static const char *const NAMES[] = {"max_error", "tolerance", "type",   "accumulator", "operands",
                                      "reduction", "magnitude", "leeway", "inputs"};
  const char *error;
  const char *verdict = benchmark_verdict(b, index, &error);
  const json_t *check = json_object_get(result, "check");
  json_t *object = json_pack("{ss}", "verdict", verdict);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    json_t *value = json_object_get(check, NAMES[i]);
    json_object_set_new(object, NAMES[i], value ? json_incref(value) : json_null());
  }
  if (error)
    json_object_set_new(object, "error", json_string(error));
  return object;
}

static json_t *subject_to_json(const benchmark *b, size_t index) {
  const subject *s = &b->subjects[index];
  const json_t *result = benchmark_result(b, index);
  figures work = benchmark_figures(b, index);
  json_t *object =
      json_pack("{ss sO ss sI sb}", "file", s->path, "function",
                json_object_get(s->opened, "function"), "target", b->settings->target, "threads",
                (json_int_t)b->facts->threads, "flush_cache", b->settings->flush_cache);
  put_time(result, object);
  put_figures(&work, report_number(result, "median"), object);
  json_t *counters = json_object_get(result, "counters");
  json_object_set_new(object, "counters", counters ? json_incref(counters) : json_null());
  json_object_set_new(object, "check", check_to_json(b, index, result));
  json_object_set(object, "tasks", json_object_get(s->opened, "tasks"));
  json_object_set_new(object, "code", s->code ? json_incref(s->code) : json_null());
  json_object_set_new(object, "packs_ahead", json_boolean(s->packs_ahead));
  json_object_set_new(object, "packs_at_load", json_boolean(s->packs_at_load));
  return object;
}

static json_t *compared_to_json(const benchmark *b, size_t index) {
  json_t *object = subject_to_json(b, index);
  const json_t *ratio = json_array_get(json_object_get(b->reply, "ratios"), index);
  json_object_set_new(object, "ratio", ratio ? real(report_number(ratio, "ratio")) : json_null());
  json_object_set_new(object, "ratio_ci95",
                      ratio ? json_pack("[oo]", real(report_number(ratio, "low")),
                                        real(report_number(ratio, "high")))
                            : json_null());
  return object;
}

tune_status report_json(const benchmark *b, FILE *stream) {
  json_t *object = subject_to_json(b, 0);
  json_object_set_new(object, "seed", json_integer(b->settings->seed));
  json_object_set_new(object, "reference_ns",
                      nanoseconds(report_number(b->reply, "reference_seconds")));
  json_t *shapes = json_object_get(b->reply, "shapes");
  json_object_set_new(object, "shapes", shapes ? json_incref(shapes) : json_null());
  json_t *compared = json_array();
  for (size_t i = 1; i < b->subject_count; ++i)
    json_array_append_new(compared, compared_to_json(b, i));
  json_object_set_new(object, "compare", compared);
  json_t *loads = json_object_get(b->reply, "loads");
  json_object_set_new(object, "loads", loads ? json_incref(loads) : json_null());
  json_t *machine = tune_conditions_to_json(&b->before, &b->after, &b->cores);
  json_object_set_new(machine, "model", json_string(tune_target_facts_model(b->facts)));
  json_object_set_new(object, "machine", machine);
  json_object_set(object, "notes", b->notes);
  json_object_set(object, "warnings", b->warnings);
  char *text = tune_json_dump(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  json_decref(object);
  if (!text)
    return tune_status_out_of_memory("reporting");
  errno = 0;
  bool written = fprintf(stream, "%s\n", text) >= 0 && fflush(stream) == 0;
  free(text);
  return written ? TUNE_OK : tune_status_from_errno(errno, "writing the report");
}
