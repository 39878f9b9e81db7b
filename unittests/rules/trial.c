//===- trial.c ----------------------------------------------------------------===//

#include "unittests/rules/trial.h"

#include "targets/exact.h"
#include "targets/output_check.h"
#include "targets/sparse.h"
#include "targets/target.h"
#include "transforms/spaces/rule_registry.h"
#include "tuning/space/sampler.h"
#include "unittests/transforms/mlir_context.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 60
// Of a plan's sets so many are tried.
#define EXACT_SETS 2

tune_status trial_bench_init(trial_bench *bench) {
  *bench = (trial_bench){.context = make_full_context()};
  snprintf(bench->folder, sizeof bench->folder, "/tmp/tune-rules-test-XXXXXX");
  if (!mkdtemp(bench->folder))
    return tune_status_make(TUNE_RESOURCE_EXHAUSTED, "no folder %s", bench->folder);
  for (int threads = 1; threads <= TRIAL_THREADS; threads++) {
    tune_lowering_options options = {.cpu.threads = threads};
    TUNE_RETURN_IF_ERROR(
        tune_lowering_create(bench->context, &options, &bench->lowering[threads - 1]));
    TUNE_RETURN_IF_ERROR(tune_linker_create(threads > 1, &bench->linker[threads - 1]));
  }
  return tune_lowering_warm_up(bench->lowering[0]);
}

void trial_bench_deinit(trial_bench *bench) {
  for (int i = 0; i < TRIAL_THREADS; i++) {
    tune_linker_destroy(bench->linker[i]);
    tune_lowering_destroy(bench->lowering[i]);
  }
  rmdir(bench->folder);
  mlirContextDestroy(bench->context);
}

//===--------------------------------------------------------------------------===//
// One candidate, in a child
//===--------------------------------------------------------------------------===//

typedef struct trial_job {
  const trial_bench *bench;
  const trial_subject *subject;
  const tune_build_task *task;
  const tune_config *config; // NULL: the plain lowering, to be linked as the reference
  const char *reference, *artifact;
} trial_job;

// Exit statuses of a child.
enum { CHILD_RIGHT = 0, CHILD_UNBUILT = 3, CHILD_WRONG = 4 };

static tune_status build(const trial_job *job) {
  unsigned threads = job->config ? job->subject->machine.threads : 1;
  if (threads == 0 || threads > TRIAL_THREADS)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "no trial has %u threads", threads);
  const char *path = job->config ? job->artifact : job->reference;
  tune_code code;
  tune_status status = tune_build_task_run(job->task, job->bench->lowering[threads - 1],
                                           job->config, TUNE_EMIT_OBJECT, &code);
  if (tune_status_is_ok(status))
    status = tune_linker_run(job->bench->linker[threads - 1], code.bytes, code.size, path);
  tune_code_deinit(&code);
  return status;
}

// The buffers stay for as long as the child lives.
static tune_status make_inputs(const trial_job *job, const tune_signature *signature,
                               tune_buffer *buffers) {
  for (size_t i = 0; i < signature->argument_count; i++) {
    tune_value_type type = signature->arguments[i];
    for (size_t d = 0; d < type.rank; d++)
      if (type.shape[d] == TUNE_DYNAMIC)
        type.shape[d] = job->subject->dynamic;
    TUNE_RETURN_IF_ERROR(tune_buffer_init(&buffers[i], &type));
    tune_buffer_fill(&buffers[i], 17 + i, TUNE_FILL_SIGNED, job->subject->index_limit);
  }
  return TUNE_OK;
}

static tune_status run_artifact(tune_target *target, const tune_signature *signature,
                                const char *path, const tune_buffer *inputs,
                                tune_kernel **out_kernel) {
  const tune_target_class *methods = &tune_target_cpu;
  tune_artifact artifact = {path, signature};
  double seconds;
  TUNE_RETURN_IF_ERROR(methods->load(target, &artifact, out_kernel));
  TUNE_RETURN_IF_ERROR(methods->bind(*out_kernel, inputs, signature->argument_count));
  TUNE_RETURN_IF_ERROR(methods->time(*out_kernel, 1, &seconds));
  // A second time: what the first left in temporary buffers must not show.
  methods->rewind(*out_kernel);
  TUNE_RETURN_IF_ERROR(methods->time(*out_kernel, 1, &seconds));
  return methods->check(*out_kernel);
}

static tune_status compare_output(const tune_buffer *value, const tune_buffer *right,
                                  tune_tolerance tolerance) {
  tune_output_check check = tune_output_check_run(value, right, tolerance);
  if (!check.is_equal) {
    char *text;
    TUNE_RETURN_IF_ERROR(tune_output_check_to_text(&check, value, right, &text));
    tune_status status = tune_status_make(TUNE_DATA_LOSS, "%s", text);
    free(text);
    return status;
  }
  // A reference of NaN alone proves nothing.
  if (!tolerance.leeways && check.element_count > 0 && check.nan_count == check.element_count)
    return tune_status_make(TUNE_DATA_LOSS, "all of the reference is NaN");
  return TUNE_OK;
}

static tune_status compare(const trial_job *job, const tune_signature *signature,
                           tune_kernel *expected, tune_kernel *kernel) {
  tune_tolerance tolerance = {.reduction = job->subject->reduction};
  for (size_t i = 0; i < tune_signature_output_count(signature); i++) {
    tune_buffer right, value;
    TUNE_RETURN_IF_ERROR(tune_target_cpu.read(expected, i, &right));
    TUNE_RETURN_IF_ERROR(tune_target_cpu.read(kernel, i, &value));
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(compare_output(&value, &right, tolerance), "output %zu", i));
    tune_buffer_deinit(&right);
    tune_buffer_deinit(&value);
  }
  return TUNE_OK;
}

static tune_status run_on(tune_kernel *kernel, const tune_signature *signature,
                          const tune_buffer *inputs, size_t output, tune_buffer *out_value) {
  double seconds;
  TUNE_RETURN_IF_ERROR(tune_target_cpu.bind(kernel, inputs, signature->argument_count));
  TUNE_RETURN_IF_ERROR(tune_target_cpu.time(kernel, 1, &seconds));
  TUNE_RETURN_IF_ERROR(tune_target_cpu.check(kernel));
  return tune_target_cpu.read(kernel, output, out_value);
}

// Of the type that sums are rounded in, as far as outputs tell.
static tune_disturbance choose_disturbance(const trial_job *job, const tune_signature *signature) {
  double roundoff = 0;
  for (size_t i = 0; i < tune_signature_output_count(signature); i++) {
    tune_element_type element = tune_signature_output(signature, i)->element;
    double of_output = tune_element_type_unit_roundoff(element);
    roundoff = of_output > roundoff ? of_output : roundoff;
  }
  return (tune_disturbance){.size = tune_disturbance_size(roundoff, job->subject->reduction)};
}

// As tune-measure has them.
static void fill_sparsely(const trial_job *job, const tune_signature *signature,
                          tune_buffer *inputs) {
  tune_sparse_fill how = {.reduction = job->subject->reduction,
                          .has_edges = !signature->is_partial,
                          .index_limit = job->subject->index_limit};
  for (size_t i = 0; i < signature->argument_count; i++) {
    how.seed = 99 + i;
    tune_buffer_fill_sparsely(&inputs[i], &how);
  }
}

static tune_status find_leeways(const trial_job *job, const tune_signature *signature,
                                tune_kernel *expected, tune_buffer *inputs, size_t output,
                                const tune_buffer *right, float *leeways) {
  tune_disturbance by = choose_disturbance(job, signature);
  for (int way = 0; way < 2; way++) {
    tune_buffer moved;
    by.is_mirrored = way == 1;
    fill_sparsely(job, signature, inputs);
    for (size_t i = 0; i < signature->argument_count; i++)
      tune_buffer_disturb(&inputs[i], (uint64_t)i << 48, &by);
    TUNE_RETURN_IF_ERROR(run_on(expected, signature, inputs, output, &moved));
    tune_sparse_raise_leeways(right, &moved, &by, leeways);
    tune_buffer_deinit(&moved);
  }
  fill_sparsely(job, signature, inputs);
  return TUNE_OK;
}

// The same on inputs of which few terms make an output.
static tune_status compare_sparsely(const trial_job *job, const tune_signature *signature,
                                    tune_kernel *expected, tune_kernel *kernel,
                                    tune_buffer *inputs) {
  for (size_t i = 0; i < tune_signature_output_count(signature); i++) {
    tune_buffer right, value;
    fill_sparsely(job, signature, inputs);
    TUNE_RETURN_IF_ERROR(run_on(expected, signature, inputs, i, &right));
    float *leeways = calloc(right.size + 1, sizeof *leeways);
    if (!leeways)
      return tune_status_out_of_memory("comparing");
    TUNE_RETURN_IF_ERROR(find_leeways(job, signature, expected, inputs, i, &right, leeways));
    TUNE_RETURN_IF_ERROR(run_on(kernel, signature, inputs, i, &value));
    tune_tolerance tolerance = {.reduction = job->subject->reduction, .leeways = leeways};
    TUNE_RETURN_IF_ERROR(tune_status_annotate(compare_output(&value, &right, tolerance),
                                              "on sparse inputs: output %zu", i));
    tune_buffer_deinit(&right);
    tune_buffer_deinit(&value);
    free(leeways);
  }
  return TUNE_OK;
}

static size_t find_largest(const tune_signature *signature, const tune_buffer *inputs) {
  size_t largest = 0;
  for (size_t i = 1; i < signature->argument_count; i++)
    if (tune_element_type_is_float(inputs[i].type.element) && inputs[i].size > inputs[largest].size)
      largest = i;
  return largest;
}

// On exact inputs nothing may differ.
static tune_status compare_exactly(const trial_job *job, const tune_signature *signature,
                                   tune_kernel *expected, tune_kernel *kernel,
                                   tune_buffer *inputs) {
  double limit = signature->selects ? INFINITY : (double)signature->exact_limit;
  if (!(limit > 0) || signature->argument_count == 0)
    return TUNE_OK;
  int64_t reduction = job->subject->reduction;
  size_t striped = find_largest(signature, inputs);
  tune_exact_plan plan = tune_exact_plan_make(limit, reduction, &inputs[striped].type);
  tune_tolerance tolerance = {.reduction = reduction, .exact_limit = limit};
  for (size_t set = 0; set < plan.set_count && set < EXACT_SETS; set++) {
    for (size_t i = 0; i < signature->argument_count; i++)
      tune_exact_fill(&inputs[i], &plan, set, i == striped, 199 + i, job->subject->index_limit);
    for (size_t i = 0; i < tune_signature_output_count(signature); i++) {
      tune_buffer right, value;
      TUNE_RETURN_IF_ERROR(run_on(expected, signature, inputs, i, &right));
      TUNE_RETURN_IF_ERROR(run_on(kernel, signature, inputs, i, &value));
      TUNE_RETURN_IF_ERROR(tune_status_annotate(compare_output(&value, &right, tolerance),
                                                "on exact inputs: output %zu", i));
      tune_buffer_deinit(&right);
      tune_buffer_deinit(&value);
    }
  }
  return TUNE_OK;
}

static tune_status run_and_compare(const trial_job *job) {
  json_t *object;
  tune_signature signature;
  TUNE_RETURN_IF_ERROR(
      tune_signature_to_json(&tune_build_task_get_signature(job->task)->interface, &object));
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(object, &signature));
  tune_buffer inputs[16];
  if (signature.argument_count > sizeof inputs / sizeof *inputs)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "too many arguments for a trial");
  TUNE_RETURN_IF_ERROR(make_inputs(job, &signature, inputs));
  tune_target *target;
  tune_target_options options = {.threads = job->subject->machine.threads};
  TUNE_RETURN_IF_ERROR(tune_target_cpu.open(&options, &target));
  tune_kernel *expected, *kernel;
  TUNE_RETURN_IF_ERROR(run_artifact(target, &signature, job->reference, inputs, &expected));
  TUNE_RETURN_IF_ERROR(run_artifact(target, &signature, job->artifact, inputs, &kernel));
  TUNE_RETURN_IF_ERROR(compare(job, &signature, expected, kernel));
  TUNE_RETURN_IF_ERROR(compare_sparsely(job, &signature, expected, kernel, inputs));
  return compare_exactly(job, &signature, expected, kernel, inputs);
}

_Noreturn static void be_child(const trial_job *job, int report) {
  // cmocka's handlers would go on with the tests, in the child.
  for (int number = 1; number < 32; number++)
    signal(number, SIG_DFL);
  alarm(CHILD_SECONDS);
  tune_status status = build(job);
  int end = CHILD_UNBUILT;
  if (tune_status_is_ok(status) && job->config) {
    end = CHILD_WRONG;
    status = run_and_compare(job);
  }
  if (tune_status_is_ok(status))
    _exit(CHILD_RIGHT);
  const char *message = tune_status_get_message(status);
  size_t length = strlen(message);
  if (write(report, message, length > 600 ? 600 : length) < 0)
    end = CHILD_WRONG;
  _exit(end);
}

// How the child ended: an exit status, or 128 and the number of its signal. `message` holds what
// it said.
static int run_child(const trial_job *job, char *message, size_t size) {
  int ends[2];
  if (pipe(ends) != 0)
    return CHILD_WRONG;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(job, ends[1]);
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t count;
  while (used + 1 < size && (count = read(ends[0], message + used, size - used - 1)) > 0)
    used += (size_t)count;
  message[used] = '\0';
  close(ends[0]);
  int end = 0;
  if (child < 0 || waitpid(child, &end, 0) != child)
    return CHILD_WRONG;
  if (job->config)
    unlink(job->artifact);
  return WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
}

//===--------------------------------------------------------------------------===//
// A trial
//===--------------------------------------------------------------------------===//

static void complain(const trial_subject *subject, trial_outcome *outcome, const char *what,
                     const char *why) {
  tune_string_builder_appendf(&outcome->text, "%s: %s: %s\n", subject->name, what, why);
}

static void try_config(trial_job *job, const tune_config *config, bool is_default,
                       trial_outcome *outcome) {
  char message[1024], what[900];
  job->config = config;
  int end = run_child(job, message, sizeof message);
  if (end == CHILD_RIGHT) {
    outcome->built++;
    return;
  }
  char *text = NULL;
  tune_status_free(tune_config_to_text(config, tune_build_task_get_space(job->task), &text));
  const char *how = end == CHILD_UNBUILT ? "is not built"
                    : end == CHILD_WRONG ? "is wrong"
                    : end >= 128         ? "crashes or hangs"
                                         : "fails";
  snprintf(what, sizeof what, "%s %s (%s)", is_default ? "the default" : "a config", how,
           text ? text : "?");
  free(text);
  complain(job->subject, outcome, what, message);
  if (end == CHILD_UNBUILT && !is_default)
    outcome->unbuilt++;
  else
    outcome->is_right = false;
}

// `config` is the default, and is so again after it.
static void try_forms(trial_job *job, tune_config *config, trial_outcome *outcome) {
  const tune_space *space = tune_build_task_get_space(job->task);
  for (size_t k = 0; k < tune_space_knob_count(space); k++) {
    const tune_knob *knob = tune_space_knob(space, k);
    if (!knob->labels || knob->level > TUNE_LEVEL_VECTOR)
      continue;
    for (size_t v = 0; v < knob->value_count; v++) {
      config->choices[k] = (uint16_t)v;
      if (v != knob->default_index && tune_config_is_valid(config, space, NULL))
        try_config(job, config, false, outcome);
    }
    config->choices[k] = (uint16_t)knob->default_index;
  }
}

static void try_configs(trial_job *job, size_t count, uint64_t seed, trial_outcome *outcome) {
  const tune_space *space = tune_build_task_get_space(job->task);
  tune_config config = {0};
  tune_sampler *sampler = NULL;
  const tune_constraint *violated = NULL;
  tune_status status = tune_config_init_default(&config, space);
  if (tune_status_is_ok(status) && !tune_config_is_valid(&config, space, &violated))
    status = tune_status_make(TUNE_FAILED_PRECONDITION, "the default config is not valid");
  if (tune_status_is_ok(status)) {
    try_config(job, &config, true, outcome);
    try_forms(job, &config, outcome);
    status = tune_sampler_create(space, &sampler);
  }
  tune_random random;
  tune_random_init(&random, seed);
  for (size_t i = 0; tune_status_is_ok(status) && i < count; i++) {
    if (!tune_sampler_draw(sampler, &random, &config))
      status = tune_status_make(TUNE_NOT_FOUND, "no valid config");
    else
      try_config(job, &config, false, outcome);
  }
  if (!tune_status_is_ok(status)) {
    complain(job->subject, outcome, "space", tune_status_get_message(status));
    outcome->is_right = false;
    tune_status_free(status);
  }
  tune_sampler_destroy(sampler);
  tune_config_deinit(&config);
}

static tune_status open_task(const trial_bench *bench, const trial_subject *subject,
                             tune_build_task **out_task) {
  char *schedule = NULL;
  tune_rule_taken taken = {0};
  tune_rule_wanted wanted = {.name = subject->is_asked ? subject->rule : NULL};
  TUNE_RETURN_IF_ERROR(tune_rules_make_schedule(bench->context, subject->payload, &subject->machine,
                                                &wanted, &schedule, &taken));
  tune_status status = TUNE_OK;
  if (subject->rule && strcmp(taken.rule->name, subject->rule) != 0)
    status = tune_status_make(TUNE_FAILED_PRECONDITION, "the rule is %s, not %s", taken.rule->name,
                              subject->rule);
  tune_build_source source = {.payload = subject->payload,
                              .payload_source = "payload",
                              .schedule = schedule,
                              .schedule_source = "schedule"};
  if (tune_status_is_ok(status))
    status = tune_build_task_create(bench->context, &source, out_task);
  free(schedule);
  return status;
}

void trial_run(const trial_bench *bench, const trial_subject *subject, size_t count, uint64_t seed,
               trial_outcome *out_outcome) {
  *out_outcome = (trial_outcome){.is_right = true};
  tune_string_builder_init(&out_outcome->text);
  char reference[96], artifact[96], message[1024];
  snprintf(reference, sizeof reference, "%s/reference.so", bench->folder);
  snprintf(artifact, sizeof artifact, "%s/candidate.so", bench->folder);
  trial_job job = {
      .bench = bench, .subject = subject, .reference = reference, .artifact = artifact};
  tune_build_task *task = NULL;
  tune_status status = open_task(bench, subject, &task);
  job.task = task;
  if (!tune_status_is_ok(status)) {
    out_outcome->is_right = false;
    complain(subject, out_outcome, "no space", tune_status_get_message(status));
    tune_status_free(status);
  } else if (run_child(&job, message, sizeof message) != CHILD_RIGHT) {
    out_outcome->is_right = false;
    complain(subject, out_outcome, "no reference", message);
  } else {
    try_configs(&job, count, seed, out_outcome);
  }
  unlink(reference);
  tune_build_task_destroy(task);
}

void trial_outcome_deinit(trial_outcome *outcome) { tune_string_builder_deinit(&outcome->text); }
