//===- report_text.c - In the manner of hyperfine -----------------------------------===//

#include "tools/tune-run/report.h"

#include "support/units.h"
#include "tuning/record/check_result.h"
#include "tuning/record/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void report_range(const tune_times *times, double *out_minimum, double *out_maximum) {
  *out_minimum = INFINITY;
  *out_maximum = 0;
  for (size_t i = 0; i < times->samples.count; ++i) {
    *out_minimum = fmin(*out_minimum, times->samples.items[i]);
    *out_maximum = fmax(*out_maximum, times->samples.items[i]);
  }
}

static void print_time(const tune_times *times, FILE *stream) {
  double minimum, maximum;
  report_range(times, &minimum, &maximum);
  size_t count = times->samples.count;
  fprintf(stream, "  Time (median [95 %%])   %s [%s … %s]\n",
          tune_figure_seconds(times->median).text, tune_figure_seconds(times->low).text,
          tune_figure_seconds(times->high).text);
  fprintf(stream, "  Range (min … max)      %s … %s, %zu sample%s",
          tune_figure_seconds(minimum).text, tune_figure_seconds(maximum).text, count,
          count == 1 ? "" : "s");
  if (times->repeats > 1)
    fprintf(stream, " of %lld runs", (long long)times->repeats);
  fprintf(stream, "\n");
}

static void print_share(double best, double median, const char *of, const char **separator,
                        FILE *stream) {
  if (!isfinite(best) || !(best > 0))
    return;
  fprintf(stream, "%s%s of the %s", *separator, tune_figure_percent(best / median).text, of);
  *separator = ", ";
}

static void print_rates(const figures *work, double median, FILE *stream) {
  if (!(work->bytes > 0))
    return;
  fprintf(stream, "  Rate                   ");
  if (work->flops > 0)
    fprintf(stream, "%s GFLOP/s, ", tune_figure_giga(work->flops / median).text);
  fprintf(stream, "%s GB/s", tune_figure_giga(work->bytes / median).text);
  const char *separator = "; ";
  print_share(work->peak_seconds, median, "peak", &separator, stream);
  print_share(work->roofline_seconds, median, "roofline", &separator, stream);
  separator = ", bound by ";
  for (size_t i = 0; i < work->bound_count; ++i) {
    fprintf(stream, "%s%s", separator, work->bounds[i].name);
    if (work->bound_count > 1)
      fprintf(stream, " (%s)",
              tune_figure_percent(work->bounds[i].seconds / work->roofline_seconds).text);
    separator = ", ";
  }
  fprintf(stream, "\n");
}

// Takes the text of `builder`.
static void print_built(tune_string_builder *builder, FILE *stream) {
  char *text;
  tune_status status = tune_string_builder_finish(builder, &text);
  fputs(tune_status_is_ok(status) ? text : "(out of memory)", stream);
  if (tune_status_is_ok(status))
    free(text);
  tune_status_free(status);
}

static tune_status print_counters(const json_t *counters, FILE *stream) {
  tune_counts counts;
  TUNE_RETURN_IF_ERROR(tune_counts_from_json(counters, &counts));
  if (!tune_counts_are_known(&counts))
    return TUNE_OK;
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_counts_append(&text, &counts);
  fprintf(stream, "  Counted in a run       ");
  print_built(&text, stream);
  fprintf(stream, "\n");
  return TUNE_OK;
}

static tune_status print_errors_of_check(const json_t *object, FILE *stream) {
  tune_check_result check;
  TUNE_RETURN_IF_ERROR(tune_check_result_from_json(object, &check));
  if (!check.is_known)
    return TUNE_OK;
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_check_result_append(&text, &check);
  fprintf(stream, ": ");
  print_built(&text, stream);
  return TUNE_OK;
}

static tune_status print_check(const benchmark *b, size_t index, FILE *stream) {
  const char *error;
  const char *verdict = benchmark_verdict(b, index, &error);
  fprintf(stream, "  Check                  %s", verdict);
  const tune_measure_reply *result = benchmark_result(b, index);
  if (error)
    fprintf(stream, ": %s%s", error,
            strcmp(verdict, "run-timeout") == 0 ? "; --run-time=SECONDS gives it more" : "");
  else if (result)
    TUNE_RETURN_IF_ERROR(print_errors_of_check(result->check, stream));
  fprintf(stream, "\n");
  if (index == 0 && b->expected) {
    const char *why = expected_error(b->expected);
    fprintf(stream, "  Expected               %s%s%s\n", why ? "wrong" : "ok", why ? ": " : "",
            why ? why : "");
  }
  double reference = b->run.reference.reference_seconds;
  double median = benchmark_median(b, index);
  if (index > 0 || !(reference > 0))
    return TUNE_OK;
  fprintf(stream, "  Plain lowering         %s", tune_figure_seconds(reference).text);
  if (median > 0)
    fprintf(stream, reference < median ? ", %.2g times as long" : ", about %.1f times as long",
            reference / median);
  if (reference < TUNE_SHORT_REFERENCE)
    fprintf(stream, " (shortest of %d runs)\n", TUNE_SHORT_REFERENCE_RUNS);
  else
    fprintf(stream, " (one run)\n");
  return TUNE_OK;
}

void report_tasks(const tune_described_task_list *tasks, FILE *stream) {
  static const struct {
    const char *from, *words;
  } ORIGINS[] = {
      {TUNE_FROM_CONFIG, "by the config"},     {TUNE_FROM_CHOICES, "by choices"},
      {TUNE_FROM_DATABASE, "by the database"}, {TUNE_FROM_DEFAULT, "by default"},
      {TUNE_FROM_FALLBACK, "by another rule"},
  };
  size_t count = tasks->count;
  fprintf(stream, "%zu task%s", count, count == 1 ? "" : "s");
  const char *separator = " (";
  for (size_t o = 0; o < sizeof ORIGINS / sizeof *ORIGINS; ++o) {
    size_t of_origin = 0;
    for (size_t i = 0; i < count; ++i) {
      const char *from = tasks->items[i].from;
      of_origin += from && strcmp(from, ORIGINS[o].from) == 0;
    }
    if (of_origin == 0)
      continue;
    fprintf(stream, "%s", separator);
    if (of_origin < count)
      fprintf(stream, "%zu ", of_origin);
    fprintf(stream, "%s", ORIGINS[o].words);
    separator = ", ";
  }
  fprintf(stream, "%s\n", count ? ")" : "");
}

static tune_status print_subject(const benchmark *b, size_t index, FILE *stream) {
  const subject *s = &b->subjects[index];
  if (b->subject_count > 1)
    fprintf(stream, "Benchmark %zu: ", index + 1);
  fprintf(stream, "%s: @%s on %s, %lld thread%s, %s", s->path, s->opened.module.function,
          b->settings->target, (long long)b->facts->threads, b->facts->threads == 1 ? "" : "s",
          b->settings->flush_cache ? "caches flushed, " : "");
  report_tasks(&s->opened.module.tasks, stream);
  const tune_measure_reply *result = benchmark_result(b, index);
  if (result) {
    figures work = benchmark_figures(b, index);
    print_time(&result->times, stream);
    print_rates(&work, result->times.median, stream);
    TUNE_RETURN_IF_ERROR(print_counters(result->counters, stream));
  }
  if (s->code.registers > 0)
    fprintf(stream,
            "  Code                   %lld registers an invocation, %lld bytes spilled, %lld bytes "
            "of shared memory\n",
            (long long)s->code.registers, (long long)s->code.spilled_bytes,
            (long long)s->code.shared_bytes);
  TUNE_RETURN_IF_ERROR(print_check(b, index, stream));
  if (s->arena.size > 0)
    fprintf(stream, "  Memory in between      %s; %s are needed at once, %s by themselves\n",
            tune_figure_bytes((double)s->arena.size).text,
            tune_figure_bytes((double)s->arena.bound).text,
            tune_figure_bytes((double)s->arena.separate).text);
  if (s->packs_ahead)
    fprintf(stream,
            "  Packed ahead           constant arguments, once, by tune_prepack; no part of "
            "the time\n");
  else if (s->packs_at_load)
    fprintf(stream, "  Packed at load         constants of the module; no part of the time\n");
  TUNE_RETURN_IF_ERROR(report_print_profile(b, index, stream));
  fprintf(stream, "\n");
  return TUNE_OK;
}

// "1.23 [1.21 … 1.25] times faster than other.mlir".
static void print_ratio(const tune_ratio_said *ratio, const char *path, FILE *stream) {
  double value = ratio->ratio, low = ratio->low, high = ratio->high;
  if (low <= 1 && high >= 1)
    fprintf(stream, "    as fast as %s: %.3f [%.3f … %.3f], which may be no difference\n", path,
            value, low, high);
  else if (value > 1)
    fprintf(stream, "    %.3f [%.3f … %.3f] times faster than %s\n", value, low, high, path);
  else
    fprintf(stream, "    %.3f [%.3f … %.3f] times slower than %s\n", 1 / value, 1 / high, 1 / low,
            path);
}

static void print_texts(const json_t *texts, const char *kind, FILE *stream) {
  for (size_t i = 0; i < json_array_size(texts); ++i)
    fprintf(stream, "  %s: %s\n", kind, json_string_value(json_array_get(texts, i)));
}

static void print_machine(const benchmark *b, FILE *stream) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_conditions_append(&b->before, &b->cores, &text);
  if (b->before.load >= 0 && b->after.load >= 0)
    tune_string_builder_appendf(&text, " before and %.2f after", b->after.load);
  fprintf(stream, "  Machine: %s, %s, caches %s\n", tune_target_facts_model(b->facts),
          text.text ? text.text : "", b->settings->flush_cache ? "flushed" : "warm");
  tune_string_builder_deinit(&text);
}

tune_status report_text(const benchmark *b, FILE *stream) {
  for (size_t i = 0; i < b->subject_count; ++i)
    TUNE_RETURN_IF_ERROR(print_subject(b, i, stream));
  const tune_ratio_list *ratios = &b->run.compared.ratios;
  if (b->subject_count > 1 && ratios->count == b->subject_count) {
    fprintf(stream, "Summary\n  %s ran\n", b->subjects[0].path);
    for (size_t i = 1; i < b->subject_count; ++i)
      print_ratio(&ratios->items[i], b->subjects[i].path, stream);
    int64_t placements = b->run.compared.placements;
    fprintf(stream, "    in %lld placement%s\n\n", (long long)placements,
            placements == 1 ? "" : "s");
  }
  print_machine(b, stream);
  print_texts(b->notes, "Note", stream);
  print_texts(b->warnings, "Warning", stream);
  if (fflush(stream) == 0 && !ferror(stream))
    return TUNE_OK;
  return tune_status_from_errno(errno, "writing the report");
}
