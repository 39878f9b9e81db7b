//===- main.c - tune-run ------------------------------------------------------------===//

#include "support/nearest.h"
#include "targets/target.h"
#include "tools/common/tool.h"
#include "tools/tune-run/benchmark.h"
#include "tools/tune-run/emit.h"
#include "tools/tune-run/report.h"

#include <string.h>

#define EXIT_OK 0
#define EXIT_WRONG 1     // a wrong result, a crash, or no end
#define EXIT_INPUT 2     // usage, input, or else what kept it from running
#define EXIT_NO_TARGET 3 // no such target here

// Targets that people may look for here, and that this build cannot run anything on.
static const struct {
  const char *name, *why;
} absent_targets[] = {
    {"cuda", "this build runs nothing on CUDA devices; there is: cpu"},
    {"vulkan", "this build runs nothing on Vulkan devices; there is: cpu"},
    {"null", "the target null computes times and runs nothing; there is: cpu"},
};

// UNAVAILABLE for a target that is none here, INVALID_ARGUMENT for a word that means none.
static tune_status check_target(const char *name) {
  for (size_t i = 0; i < sizeof absent_targets / sizeof *absent_targets; ++i)
    if (strcmp(name, absent_targets[i].name) == 0)
      return tune_status_make(TUNE_UNAVAILABLE, "no target %s here: %s", name,
                              absent_targets[i].why);
  const tune_target_class *target;
  tune_status status = tune_target_find(name, &target);
  if (tune_status_is_ok(status))
    return TUNE_OK;
  tune_status_free(status);
  tune_nearest nearest;
  tune_nearest_init(&nearest, name);
  tune_nearest_offer(&nearest, "cpu");
  for (size_t i = 0; i < sizeof absent_targets / sizeof *absent_targets; ++i)
    tune_nearest_offer(&nearest, absent_targets[i].name);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "no target '%s'%s%s%s There is: cpu", name,
                          nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
                          nearest.best ? "'?" : ".");
}

// Runs, reports on stdout, and tells whether all was right.
static tune_status run(const run_settings *settings, tune_target_facts *facts, bool *out_is_ok) {
  benchmark *b;
  TUNE_RETURN_IF_ERROR(benchmark_run(settings, facts, &b));
  *out_is_ok = benchmark_is_ok(b);
  tune_status status = TUNE_OK;
  if (settings->format == FORMAT_JSON)
    status = report_json(b, stdout);
  else
    status = report_text(b, stdout);
  benchmark_destroy(b);
  return status;
}

static int run_all(const run_settings *settings, tune_status *out_status) {
  tune_target_facts *facts = NULL;
  *out_status = check_target(settings->target);
  if (tune_status_is_ok(*out_status) && settings->emit != EMIT_NONE) {
    *out_status = emit_run(settings);
    return tune_status_is_ok(*out_status) ? EXIT_OK : EXIT_INPUT;
  }
  if (tune_status_is_ok(*out_status))
    *out_status = tune_target_facts_create(settings->target, (size_t)settings->threads, &facts);
  if (!tune_status_is_ok(*out_status))
    return tune_status_get_code(*out_status) == TUNE_UNAVAILABLE ? EXIT_NO_TARGET : EXIT_INPUT;
  bool is_ok = false;
  *out_status = run(settings, facts, &is_ok);
  if (!tune_status_is_ok(*out_status))
    return EXIT_INPUT;
  return is_ok ? EXIT_OK : EXIT_WRONG;
}

int main(int argc, char **argv) {
  run_settings settings;
  bool is_done;
  int exit_status = EXIT_OK;
  tune_status status = settings_parse(argc, argv, &settings, &is_done);
  if (!tune_status_is_ok(status))
    exit_status = EXIT_INPUT;
  else if (!is_done)
    exit_status = run_all(&settings, &status);
  tune_tool_report("tune-run", status, stderr);
  settings_deinit(&settings);
  return exit_status;
}
