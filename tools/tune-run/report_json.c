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

static json_t *samples_to_json(const tune_number_list *samples) {
  json_t *list = json_array();
  for (size_t i = 0; i < samples->count; ++i)
    json_array_append_new(list, nanoseconds(samples->items[i]));
  return list;
}

static json_t *or_null(const json_t *value) {
  return value ? json_incref((json_t *)value) : json_null();
}

static void put_time(const tune_measure_reply *result, json_t *object) {
  static const tune_times NONE = {.median = 0};
  const tune_times *times = result ? &result->times : &NONE;
  double minimum, maximum;
  report_range(times, &minimum, &maximum);
  json_object_set_new(object, "median_ns", nanoseconds(times->median));
  json_object_set_new(object, "ci95_ns",
                      result ? json_pack("[oo]", nanoseconds(times->low), nanoseconds(times->high))
                             : json_null());
  json_object_set_new(object, "min_ns", nanoseconds(isfinite(minimum) ? minimum : 0));
  json_object_set_new(object, "max_ns", nanoseconds(maximum));
  json_object_set_new(object, "samples_ns", samples_to_json(&times->samples));
  json_object_set_new(object, "runs_per_sample", json_integer(times->repeats));
  json_object_set_new(object, "outliers", json_integer(times->outliers));
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
static json_t *check_to_json(const benchmark *b, size_t index, const json_t *check) {
  const char *error;
  const char *verdict = benchmark_verdict(b, index, &error);
  json_t *object = json_pack("{ss}", "verdict", verdict);
  for (const char *const *name = tune_check_result_names; *name; ++name)
    json_object_set_new(object, *name, or_null(json_object_get(check, *name)));
  if (error)
    json_object_set_new(object, "error", json_string(error));
  return object;
}

static json_t *tasks_to_json(const tune_described_task_list *tasks) {
  json_t *list = json_array(), *object;
  for (size_t i = 0; i < tasks->count; ++i) {
    tune_status status = tune_described_task_to_json(&tasks->items[i], &object);
    json_array_append_new(list, object);
    tune_status_free(status); // what there is no memory for is left out, as all over this report
  }
  return list;
}

static json_t *shapes_to_json(const tune_shape_list *shapes) {
  json_t *list = json_array();
  for (size_t i = 0; i < shapes->count; ++i) {
    json_t *sizes = json_array();
    for (size_t d = 0; d < shapes->items[i].count; ++d)
      json_array_append_new(sizes, json_integer(shapes->items[i].items[d]));
    json_array_append_new(list, sizes);
  }
  return list;
}

// null where the module was not built for it.
static json_t *profile_to_json(const benchmark *b, size_t index) {
  report_profile profile;
  tune_status status = report_list_profile(b, index, &profile);
  json_t *list = profile.count ? json_array() : json_null();
  for (size_t i = 0; i < profile.count; i++) {
    const report_profile_row *row = &profile.rows[i];
    json_array_append_new(list, json_pack("{ss so so so}", "task", row->name, "ns",
                                          nanoseconds(row->seconds), "calls", real(row->calls),
                                          "percent_of_roofline",
                                          real(100 * row->roofline_seconds / row->seconds)));
  }
  report_profile_deinit(&profile);
  tune_status_free(status); // what there is no memory for is left out, as all over this report
  return list;
}

static json_t *subject_to_json(const benchmark *b, size_t index) {
  const subject *s = &b->subjects[index];
  const tune_measure_reply *result = benchmark_result(b, index);
  figures work = benchmark_figures(b, index);
  json_t *object =
      json_pack("{ss ss ss sI sb}", "file", s->path, "function", s->opened.module.function,
                "target", b->settings->target, "threads", (json_int_t)b->facts->threads,
                "flush_cache", b->settings->flush_cache);
  put_time(result, object);
  put_figures(&work, benchmark_median(b, index), object);
  json_t *code = tune_code_features_to_json(&s->code);
  json_object_set_new(object, "counters", or_null(result ? result->counters : NULL));
  json_object_set_new(object, "check", check_to_json(b, index, result ? result->check : NULL));
  if (index == 0 && b->expected) {
    const char *why = expected_error(b->expected);
    json_object_set_new(object, "expected",
                        json_pack("{s:s, s:s?}", "verdict", why ? "wrong" : "ok", "error", why));
  }
  json_object_set_new(object, "tasks", tasks_to_json(&s->opened.module.tasks));
  json_object_set_new(object, "profile", profile_to_json(b, index));
  json_object_set_new(object, "code", code ? code : json_null());
  json_object_set_new(object, "arena",
                      s->arena.size > 0 ? json_pack("{sI sI sI}", "size", (json_int_t)s->arena.size,
                                                    "bound", (json_int_t)s->arena.bound, "separate",
                                                    (json_int_t)s->arena.separate)
                                        : json_null());
  json_object_set_new(object, "packs_ahead", json_boolean(s->packs_ahead));
  json_object_set_new(object, "packs_at_load", json_boolean(s->packs_at_load));
  return object;
}

static json_t *compared_to_json(const benchmark *b, size_t index) {
  json_t *object = subject_to_json(b, index);
  const tune_ratio_list *ratios = &b->run.compared.ratios;
  const tune_ratio_said *ratio = index < ratios->count ? &ratios->items[index] : NULL;
  json_object_set_new(object, "ratio", ratio ? real(ratio->ratio) : json_null());
  json_object_set_new(object, "ratio_ci95",
                      ratio ? json_pack("[oo]", real(ratio->low), real(ratio->high)) : json_null());
  return object;
}

tune_status report_json(const benchmark *b, FILE *stream) {
  json_t *object = subject_to_json(b, 0);
  json_object_set_new(object, "seed", json_integer(b->settings->seed));
  json_object_set_new(object, "reference_ns", nanoseconds(b->run.reference.reference_seconds));
  json_object_set_new(object, "shapes", shapes_to_json(&b->run.shapes));
  json_t *compared = json_array();
  for (size_t i = 1; i < b->subject_count; ++i)
    json_array_append_new(compared, compared_to_json(b, i));
  json_object_set_new(object, "compare", compared);
  int64_t placements = b->run.compared.placements;
  json_object_set_new(object, "placements",
                      placements > 0 ? json_integer(placements) : json_null());
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
