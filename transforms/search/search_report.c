//===- search_report.c --------------------------------------------------------===//

#include "transforms/search/search_report.h"

#include "dialects/diagnostic.h"
#include "support/progress.h"
#include "support/table.h"
#include "support/units.h"
#include "transforms/search/search_notes.h"
#include "transforms/search/search_shares.h"
#include "transforms/search/search_table.h"
#include "tuning/evaluators/turn_notice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tune_search_report {
  FILE *stream;
  bool is_quiet, timing, of_variants;
  tune_progress *progress;
  tune_search_table *table;
  size_t tasks;
  tune_target_facts const *facts;
  // Over all tasks, for the timing.
  double stage_seconds[TUNE_STAGE_COUNT];
  double first_seconds, waited_seconds;
  size_t task_count, kept_defaults; // done, and of these those whose default is the best
  size_t trials, new_trials, failed;
  tune_search_notes *of_tasks; // what the table has no column for
  tune_search_shares *shares;
  tune_string_builder notes; // of the search
};

//===--------------------------------------------------------------------------===//
// While a task is tuned
//===--------------------------------------------------------------------------===//

static tune_progress_state progress_state(const tune_search_report *report, size_t index,
                                          const tune_search_way *way,
                                          const tune_session_progress *progress) {
  double first = way->first_seconds > 0 ? way->first_seconds : progress->default_time;
  double speedup = progress->best > 0 ? first / progress->best : 0;
  // Too high a share shows that the peak is wrong, which is looked into when the task is done.
  double percent = tune_task_percent_of_peak(progress->task, progress->best);
  if (percent > TUNE_SEARCH_HIGHEST_PERCENT)
    percent = 0;
  return (tune_progress_state){
      .name = progress->task->name,
      .way = way->text,
      .number = index + 1,
      .task_count = report->tasks,
      .trials = progress->trials,
      .trial_limit = progress->trial_limit,
      .failed = progress->failed,
      .best = progress->best,
      .percent_of_peak = percent,
      .speedup = speedup,
      .seconds_left = progress->eta,
      .phase = progress->phase == TUNE_SESSION_COMPARING ? "comparing finalists" : NULL,
  };
}

static void on_progress(void *user, size_t index, const tune_search_way *way,
                        const tune_session_progress *progress) {
  tune_search_report *report = user;
  tune_progress_state state = progress_state(report, index, way, progress);
  if (progress->phase == TUNE_SESSION_DONE)
    tune_progress_finish_task(report->progress, &state);
  else
    tune_progress_update(report->progress, &state);
}

//===--------------------------------------------------------------------------===//
// Begin, tasks, end
//===--------------------------------------------------------------------------===//

static void on_begin(void *user, const tune_target_facts *facts, const char *database, size_t tasks,
                     size_t occurrences) {
  tune_search_report *report = user;
  report->tasks = tasks;
  report->facts = facts;
  const char *model = json_string_value(json_object_get(facts->fingerprint, "model"));
  fprintf(report->stream, "tune-search: %zu task%s", tasks, tasks == 1 ? "" : "s");
  if (occurrences != tasks)
    fprintf(report->stream, " (in %zu places)", occurrences);
  fprintf(report->stream, " for %s%s%s", facts->name.target, model ? ": " : "", model ? model : "");
  if (facts->name.kind == TUNE_KIND_CPU || facts->threads > 1)
    fprintf(report->stream, ", %zu thread%s", facts->threads, facts->threads == 1 ? "" : "s");
  if (facts->flushes_cache)
    fprintf(report->stream, ", caches flushed");
  double peak = tune_target_facts_peak(facts, "f32");
  if (peak > 0)
    fprintf(report->stream, ", peak %s f32 GFLOP/s", tune_figure_giga(peak).text);
  fprintf(report->stream, "\ntune-search: records in %s\n", database);
  fflush(report->stream);
}

// At the end that is said below the table.
static void on_conditions(void *user, const tune_cores *cores, const tune_conditions *conditions,
                          bool is_end, const json_t *warnings) {
  tune_search_report *report = user;
  tune_string_builder text;
  tune_string_builder_init(&text);
  if (!is_end) {
    tune_string_builder_append(&text, "tune-search: measuring on ");
    tune_conditions_append(conditions, cores, &text);
    tune_string_builder_append(&text, report->facts->flushes_cache ? "\n" : ", caches warm\n");
  } else if (conditions->load >= 0) {
    tune_string_builder_appendf(&text, "tune-search: load %.2f at the end\n", conditions->load);
  }
  for (size_t i = 0; i < json_array_size(warnings); i++)
    tune_string_builder_appendf(&text, "tune-search: warning: %s\n",
                                json_string_value(json_array_get(warnings, i)));
  if (is_end)
    tune_string_builder_append(&report->notes, text.text ? text.text : "");
  else
    fputs(text.text ? text.text : "", report->stream);
  tune_string_builder_deinit(&text);
}

// Said below the table too.
static void on_restarted(void *user, const tune_restarted *server) {
  tune_search_report *report = user;
  if (server->children)
    tune_string_builder_appendf(
        &report->notes, "tune-search: %s started %zu of its children again: killed by SIGKILL\n",
        server->name, server->children);
  if (server->times)
    tune_string_builder_appendf(&report->notes,
                                "tune-search: %s was started again %zu time%s: %s\n", server->name,
                                server->times, server->times == 1 ? "" : "s", server->why);
}

static void on_left_out(void *user, MlirLocation location, const char *op_name, const char *reason,
                        size_t count) {
  (void)user;
  if (count > 1)
    tune_remark_emit(location, "%s (%zu of them) is not tuned: %s", op_name, count, reason);
  else
    tune_remark_emit(location, "%s is not tuned: %s", op_name, reason);
}

static void on_task_done(void *user, size_t index, const tune_task *task,
                         const tune_target_facts *facts, size_t runs,
                         const tune_session_result *result) {
  tune_search_report *report = user;
  (void)index;
  tune_progress_clear(report->progress);
  report->trials += result->trials;
  report->new_trials += result->new_trials;
  for (int v = 0; v < TUNE_VERDICT_COUNT; v++)
    if (tune_verdict_is_failure((tune_verdict)v))
      report->failed += result->verdicts[v];
  for (int stage = 0; stage < TUNE_STAGE_COUNT; stage++)
    report->stage_seconds[stage] += result->stage_seconds[stage];
  report->waited_seconds += result->waited_seconds;
  ++report->task_count;
  report->kept_defaults += result->has_best && result->is_default;
  if (report->first_seconds == 0)
    report->first_seconds = result->first_seconds;
  tune_search_notes_add(report->of_tasks, facts, task, result);
  tune_search_table_add(report->table, facts, task, runs, result);
  if (result->stop != TUNE_STOP_AHEAD && !report->of_variants)
    tune_search_shares_add(report->shares, task->name, runs, result->default_time);
}

// Said in a quiet search too.
static void on_task_fell_back(void *user, size_t index, MlirLocation location,
                              const tune_task *task, const char *from, const char *to,
                              const tune_failures *failures) {
  tune_search_report *report = user;
  (void)index;
  tune_progress_clear(report->progress);
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_failures_append(failures, &text);
  tune_warning_emit(location, "'%s' is searched by %s, since no candidate worked by %s: %s",
                    task->name, to, from, text.text ? text.text : "all failed");
  tune_string_builder_deinit(&text);
}

static void on_rule_taken(void *user, const tune_task *task, const char *from, const char *to,
                          double first_seconds, double seconds) {
  tune_search_report *report = user;
  tune_search_notes_add_rule(report->of_tasks, task, from, to, first_seconds, seconds);
}

static void on_grouping_taken(void *user, const tune_task *task, const char *grouping, size_t parts,
                              double whole_seconds, double seconds) {
  tune_search_report *report = user;
  tune_search_notes_add_grouping(report->of_tasks, task, grouping, parts, whole_seconds, seconds);
}

// Said in a quiet search too: it is why the task stays as it is.
static void on_task_failed(void *user, size_t index, MlirLocation location, const tune_task *task,
                           tune_status why) {
  tune_search_report *report = user;
  (void)index;
  tune_progress_clear(report->progress);
  tune_warning_emit(location, "'%s' is not tuned: %s", task->name, tune_status_get_message(why));
}

static void print_timing(const tune_search_report *report, double seconds) {
  fprintf(report->stream, "timing: %.2f s in all", seconds);
  if (report->first_seconds > 0)
    fprintf(report->stream, ", first measurement after %.2f s", report->first_seconds);
  fputs(";", report->stream);
  double building = 0;
  for (int stage = 0; stage < TUNE_STAGE_COUNT; stage++) {
    fprintf(report->stream, " %s %.2f s%s", tune_stage_name((tune_stage)stage),
            report->stage_seconds[stage], stage + 1 < TUNE_STAGE_COUNT ? "," : "");
    if (stage != TUNE_STAGE_MEASURE)
      building += report->stage_seconds[stage];
  }
  if (building > 0)
    fprintf(report->stream, "; %.1f candidates built a second and core",
            (double)report->new_trials / building);
  if (report->waited_seconds > 0)
    fprintf(report->stream, "; waited %.2f s for others that time on the same cores",
            report->waited_seconds);
  fputs("\n", report->stream);
}

static void on_round(void *user, const tune_rounds_pending *round, bool waits) {
  const tune_search_report *report = user;
  tune_progress_clear(report->progress);
  if (round->measured)
    fprintf(report->stream, "tune-search: round %zu: %zu of %zu candidates are measured in %s\n",
            round->number, round->measured, round->candidates, round->results_path);
  else
    fprintf(report->stream, "tune-search: round %zu: %zu candidate%s to be measured in %s\n",
            round->number, round->candidates, round->candidates == 1 ? "" : "s",
            round->export_path);
  fprintf(report->stream, "tune-search: measure with: tune-measure %s -o %s\n", round->export_path,
          round->results_path);
  fputs(waits ? "tune-search: waiting for the results\n"
              : "tune-search: then give the same command again\n",
        report->stream);
  fflush(report->stream);
}

//===--------------------------------------------------------------------------===//
// The module as a whole
//===--------------------------------------------------------------------------===//

// What a task has in place of its winner, and why. Said in a quiet search too.
static void warn_of_demoted(const tune_search_whole *whole, const tune_demoted *demoted) {
  const tune_extracted_task *task = &whole->extraction->tasks[demoted->task];
  const char *now = demoted->value == TUNE_WHOLE_NEXT ? "next best" : "default";
  if (demoted->verdict != TUNE_VERDICT_OK)
    tune_warning_emit(task->location,
                      "'%s' has its %s, since with its winner the module as a whole is not right: "
                      "%s%s%s",
                      task->name, now, tune_verdict_name(demoted->verdict),
                      demoted->error ? ": " : "", demoted->error ? demoted->error : "");
  else if (demoted->slowdown > 0)
    tune_warning_emit(task->location,
                      "'%s' has its %s, since with its winner the module as a whole takes %.3f "
                      "times as long",
                      task->name, now, demoted->slowdown);
  else
    tune_warning_emit(task->location,
                      "'%s' has its %s, since with all winners the module as a whole is slower",
                      task->name, now);
}

static void append_whole(const tune_search_report *report, const tune_demotion *demotion,
                         tune_string_builder *notes) {
  const tune_ratio *ratio = &demotion->ratio;
  double tasks = tune_search_shares_sum(report->shares);
  if (demotion->time > 0)
    tune_string_builder_appendf(notes,
                                "tune-search: the module as a whole: %s by default, %s tuned: "
                                "%.3fx [%.3f, %.3f], checked\n",
                                tune_figure_seconds(demotion->default_time).text,
                                tune_figure_seconds(demotion->time).text, 1 / ratio->ratio,
                                1 / ratio->high, 1 / ratio->low);
  if (demotion->time > 0 && tasks > 0 && demotion->default_time > tasks)
    tune_string_builder_appendf(notes,
                                "tune-search: beside its tasks it takes %s of that by default\n",
                                tune_figure_seconds(demotion->default_time - tasks).text);
  if (demotion->demoted_count)
    tune_string_builder_appendf(notes,
                                "tune-search: %zu task%s of it lost %s winner%s (%zu builds of the "
                                "module)\n",
                                demotion->demoted_count, demotion->demoted_count == 1 ? "" : "s",
                                demotion->demoted_count == 1 ? "its" : "their",
                                demotion->demoted_count == 1 ? "" : "s", demotion->builds);
  if (demotion->ended)
    tune_string_builder_appendf(notes, "tune-search: the module was not looked %s as a whole: %s\n",
                                demotion->time > 0 ? "into further" : "at", demotion->ended);
}

static void on_whole(void *user, const tune_search_whole *whole) {
  tune_search_report *report = user;
  const tune_demotion *demotion = whole->demotion;
  tune_progress_clear(report->progress);
  for (size_t i = 0; i < demotion->demoted_count; i++)
    warn_of_demoted(whole, &demotion->demoted[i]);
  if (demotion->verdict != TUNE_VERDICT_OK && demotion->verdict != TUNE_VERDICT_CANCELLED)
    tune_warning_emit(whole->extraction->tasks[0].location,
                      "the module as a whole is not right, by default or tuned: %s%s%s",
                      tune_verdict_name(demotion->verdict), demotion->error ? ": " : "",
                      demotion->error ? demotion->error : "");
  if (whole->unchecked)
    tune_string_builder_appendf(&report->notes,
                                "tune-search: the module was not checked as a whole: %s\n",
                                whole->unchecked);
  else
    append_whole(report, demotion, &report->notes);
}

static void on_end(void *user, double seconds) {
  tune_search_report *report = user;
  tune_progress_clear(report->progress);
  tune_status status =
      tune_search_table_print(report->table, tune_terminal_width(report->stream), report->stream);
  tune_status_free(status);
  if (report->kept_defaults)
    fprintf(report->stream,
            "tune-search: %zu of %zu task%s keep%s the default: nothing surely faster was found\n",
            report->kept_defaults, report->task_count, report->task_count == 1 ? "" : "s",
            report->kept_defaults == 1 ? "s" : "");
  tune_string_builder of_tasks;
  tune_string_builder_init(&of_tasks);
  tune_search_shares_append(report->shares, &of_tasks);
  tune_search_notes_append(report->of_tasks, &of_tasks);
  fputs(of_tasks.text ? of_tasks.text : "", report->stream);
  fputs(report->notes.text ? report->notes.text : "", report->stream);
  tune_string_builder_deinit(&of_tasks);
  if (report->timing)
    print_timing(report, seconds);
  fprintf(report->stream, "tune-search: %zu trial%s, %zu of them new, %zu failed%s, in %s\n",
          report->trials, report->trials == 1 ? "" : "s", report->new_trials, report->failed,
          report->failed ? " (`tune-db show TASK --failed` says why)" : "",
          tune_figure_duration(seconds).text);
  fflush(report->stream);
}

//===--------------------------------------------------------------------------===//
// Making one
//===--------------------------------------------------------------------------===//

tune_status tune_search_report_create(const tune_search_reporting *reporting,
                                      tune_search_report **out_report) {
  *out_report = NULL;
  tune_search_report *report = calloc(1, sizeof *report);
  if (!report)
    return tune_status_out_of_memory("reporting a search");
  report->stream = reporting->stream;
  report->is_quiet = reporting->style == TUNE_PROGRESS_QUIET;
  tune_turn_notice_set_quiet(report->is_quiet);
  report->timing = reporting->timing;
  report->of_variants = reporting->of_variants;
  tune_string_builder_init(&report->notes);
  tune_status status = tune_search_table_create(&report->table);
  if (tune_status_is_ok(status))
    status = tune_search_notes_create(&report->of_tasks);
  report->shares = tune_search_shares_create();
  if (tune_status_is_ok(status) && !report->shares)
    status = tune_status_out_of_memory("reporting a search");
  tune_progress_options options;
  tune_progress_options_init(&options);
  options.style = reporting->style;
  options.prefix = "tune-search: ";
  if (tune_status_is_ok(status))
    status = tune_progress_create(reporting->stream, &options, &report->progress);
  if (!tune_status_is_ok(status)) {
    tune_search_report_destroy(report);
    return status;
  }
  *out_report = report;
  return TUNE_OK;
}

void tune_search_report_destroy(tune_search_report *report) {
  if (!report)
    return;
  tune_progress_destroy(report->progress);
  tune_search_table_destroy(report->table);
  tune_search_notes_destroy(report->of_tasks);
  tune_search_shares_destroy(report->shares);
  tune_string_builder_deinit(&report->notes);
  free(report);
}

tune_search_observer tune_search_report_get_observer(tune_search_report *report) {
  if (report->is_quiet)
    return (tune_search_observer){.user = report,
                                  .task_fell_back = on_task_fell_back,
                                  .task_failed = on_task_failed,
                                  .whole = on_whole};
  return (tune_search_observer){.user = report,
                                .begin = on_begin,
                                .conditions = on_conditions,
                                .restarted = on_restarted,
                                .left_out = on_left_out,
                                .progress = on_progress,
                                .task_done = on_task_done,
                                .task_fell_back = on_task_fell_back,
                                .rule_taken = on_rule_taken,
                                .grouping_taken = on_grouping_taken,
                                .task_failed = on_task_failed,
                                .round = on_round,
                                .whole = on_whole,
                                .end = on_end};
}
