//===- search_pass.c - The pass tune-search ----------------------------------===//
//
// docs/tune-search.md is the manual. The pass reports on stderr, since stdout is the
// module's. While it runs, SIGINT, SIGTERM and SIGHUP end the search instead of the
// process: what was measured is kept, and the module leaves with the best so far. The
// handlers found are put back at the end; a second signal goes to them. A write over the
// limit of a file's size is an error like that on a full disk, and one to a reader that has gone
// away is nothing to end a search for, so SIGXFSZ and SIGPIPE are ignored.
//
// MLIR runs a pass on several nested modules at once. Their searches wait for each other,
// since two would disturb each other's measurements, and a signal ends all of them.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "formats/signature.h"
#include "transforms/ir/ir.h"
#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/precision/precision.h"
#include "transforms/precision/rounded_to.h"
#include "transforms/search/search.h"
#include "transforms/search/search_variants.h"
#include "transforms/spaces/module_tasks.h"
#include "transforms/tasks/stock_form.h"
#include "transforms/variants/module_variants.h"
#include "tuning/strategies/strategies.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/Transform.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// Signals
//===--------------------------------------------------------------------------===//

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNAL_COUNT (sizeof SIGNALS / sizeof *SIGNALS)

// A signal handler can reach nothing else.
static volatile sig_atomic_t interrupted;
static struct sigaction handlers_found[SIGNAL_COUNT], file_size_found, pipe_found;

static void restore_handlers(void) {
  for (size_t i = 0; i < SIGNAL_COUNT; i++)
    sigaction(SIGNALS[i], &handlers_found[i], NULL);
}

static void restore_all(void) {
  restore_handlers();
  sigaction(SIGXFSZ, &file_size_found, NULL);
  sigaction(SIGPIPE, &pipe_found, NULL);
}

static void on_signal(int signal) {
  (void)signal;
  interrupted = 1;
  restore_handlers(); // the next one means it
}

static void install_handlers(void) {
  interrupted = 0;
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < SIGNAL_COUNT; i++) {
    sigaction(SIGNALS[i], NULL, &handlers_found[i]);
    if (handlers_found[i].sa_handler != SIG_IGN)
      sigaction(SIGNALS[i], &action, NULL);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &file_size_found);
  sigaction(SIGPIPE, &action, &pipe_found);
}

//===--------------------------------------------------------------------------===//
// Searches of other threads
//===--------------------------------------------------------------------------===//

// Signal handlers belong to the process, and so does what is being measured.
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER, turn = PTHREAD_MUTEX_INITIALIZER;
static size_t search_count; // that run or wait for their turn

static void enter_search(void) {
  pthread_mutex_lock(&count_lock);
  if (search_count++ == 0)
    install_handlers();
  pthread_mutex_unlock(&count_lock);
  pthread_mutex_lock(&turn);
}

static void leave_search(void) {
  pthread_mutex_unlock(&turn);
  pthread_mutex_lock(&count_lock);
  if (--search_count == 0)
    restore_all();
  pthread_mutex_unlock(&count_lock);
}

//===--------------------------------------------------------------------------===//
// Options
//===--------------------------------------------------------------------------===//

#define WORD(name) #name,
static const char *const strategy_words[] = {TUNE_FOR_EACH_STRATEGY(WORD) NULL};
#define LISTED(name) " " #name
static const char *const selection_words[] = {"tournament", "proportional", NULL};
static const char *const effort_words[] = {"quick", "standard", "full", NULL};
static const char *const report_words[] = {"auto", "live", "plain", "quiet", NULL};

// What the options say. Most of it is said to the search as it is.
typedef struct search_settings {
  tune_search_options search;
  const char *selection, *measure, *effort, *levels, *sizes;
  const char *variants; // the sizes that variants are wanted for; NULL: none
  const char *images;
  tune_turns_wanted turns;        // what `images` says
  tune_precision_wanted rounding; // what `error-budget` and `inputs` say
  int64_t dynamic;                // what a size is taken for on devices
  size_t round;                   // where `measure` exports
  tune_progress_style report;
  bool timing, stock;
} search_settings;

#define INTO(member) TUNE_PASS_OPTION_INTO(search_settings, member)

static const tune_pass_option options_table[] = {
    {.name = "strategy",
     .type = TUNE_PASS_OPTION_ENUM,
     INTO(search.session.strategy),
     .words = strategy_words,
     .initial = "evolutionary",
     .takes_bare_word = true,
     .summary = "how configs are proposed (evolutionary), one of:" TUNE_FOR_EACH_STRATEGY(LISTED)},
    {.name = "trials",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.session.trials),
     .minimum = 1,
     .maximum = 1000000,
     .initial = "64",
     .summary = "configs to try for each task, those of the database counted in (64)"},
    {.name = "effort",
     .type = TUNE_PASS_OPTION_ENUM,
     INTO(effort),
     .words = effort_words,
     .initial = "standard",
     .summary = "for each task: quick (32 trials, 3 s), standard (64 trials, default), full (512 "
                "trials); trials= says otherwise"},
    {.name = "time",
     .type = TUNE_PASS_OPTION_SECONDS,
     INTO(search.seconds),
     .summary = "end after so long, for all tasks together (90, 5m, 1h)"},
    {.name = "target-percent-of-peak",
     .type = TUNE_PASS_OPTION_PERCENT,
     INTO(search.session.target_percent),
     .summary = "end a task when it reaches this share of the machine's peak"},
    {.name = "plateau",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.session.plateau_trials),
     .minimum = 0,
     .maximum = 1000000,
     .initial = "0",
     .summary = "end a task after so many trials without a gain of 1 % (0: never)"},
    {.name = "levels",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(levels),
     .summary =
         "what is searched: joint, all levels together (default), or some, as vector,target; "
         "layered, one after the other, graph,linalg,vector,loop,buffer,gpu,target, or in "
         "another order, as layered:target,vector; others keep their defaults"},
    {.name = "seed",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.session.strategy_options.seed),
     .minimum = 0,
     .maximum = INT64_MAX,
     .initial = "0",
     .summary = "of proposals and inputs: the same seed and times, the same search (0)"},
    {.name = "population",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.session.strategy_options.population),
     .minimum = 0,
     .maximum = 10000,
     .initial = "0",
     .summary = "evolutionary: configs that may be parents (0: the strategy's choice)"},
    {.name = "mutation-rate",
     .type = TUNE_PASS_OPTION_PERCENT,
     INTO(search.session.strategy_options.mutation_rate),
     .summary = "evolutionary: share of knobs changed in an offspring (that of 1.5 knobs)"},
    {.name = "selection",
     .type = TUNE_PASS_OPTION_ENUM,
     INTO(selection),
     .words = selection_words,
     .initial = "tournament",
     .summary = "evolutionary: how parents are picked: tournament (default), proportional"},
    {.name = "finalists",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.session.finalists),
     .minimum = 0,
     .maximum = 32,
     .initial = "4",
     .summary = "the best few, measured again beside the default at the end (4)"},
    {.name = "whole",
     .type = TUNE_PASS_OPTION_FLAG,
     INTO(search.checks_whole),
     .initial = "true",
     .summary = "at the end the module with all winners is checked, and timed beside its default: "
                "what loses there loses its winner (true)"},
    {.name = "stock",
     .type = TUNE_PASS_OPTION_FLAG,
     INTO(stock),
     .summary = "tune ops in the form that stock mlir-opt finds, so that tune-export-schedule has "
                "all winners; the module is marked so"},
    TUNE_OPTION_ALLOW,
    {.name = "function",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(search.function),
     .summary = "of the module as a whole, with what it calls; otherwise the only one, or @main"},
    {.name = "target",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(search.tasks.target),
     .initial = "cpu",
     .summary =
         "what to tune for: cpu (default), vulkan, cuda, or one of their devices as vulkan:0, "
         "vulkan:<name> or cuda:sm_90; cpu:<name> is a CPU by LLVM's name, as cpu:x86-64-v3, that "
         "this machine has all of, or with measure=export: any; null builds nothing and makes the "
         "times up"},
    {.name = "threads",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.tasks.threads),
     .minimum = 1,
     .maximum = 1024,
     .initial = "1",
     .summary = "that the tuned code runs with (1)"},
    {.name = "flush-cache",
     .type = TUNE_PASS_OPTION_FLAG,
     INTO(search.tasks.flush_cache),
     .summary = "empty the caches ahead of each run that is timed; records of such are kept apart"},
    {.name = "counters",
     .type = TUNE_PASS_OPTION_FLAG,
     INTO(search.measuring.counters),
     .summary = "count what the processor does in a run, after the samples, and keep it with the "
                "records (cpu)"},
    {.name = "precision",
     .type = TUNE_PASS_OPTION_PERCENT,
     INTO(search.measuring.precision),
     .summary = "sample a candidate until its median is known to so much, 95 times of 100 (1%)"},
    {.name = "budget",
     .type = TUNE_PASS_OPTION_SECONDS,
     INTO(search.measuring.budget),
     .summary = "sample a candidate at most so long: 150ms (default), up to 10s"},
    {.name = "jobs",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(search.building.jobs),
     .minimum = 0,
     .maximum = 1024,
     .initial = "0",
     .summary = "candidates built at once (0: as many as there are cores for it)"},
    {.name = "db",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(search.database),
     .summary = "the database of records ($XDG_CACHE_HOME/mlir-tune/tune.db)"},
    TUNE_OPTION_BY_TARGET,
    {.name = "schedule",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(search.tasks.schedule),
     .summary = "a file with a transform script to search instead of the rules' spaces"},
    TUNE_OPTION_ALLOW_PASS,
    {.name = "dynamic",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(sizes),
     .initial = "64",
     .summary = "sizes that are known at run time only: those that come, with their shares of the "
                "calls, as 1:0.5,64,128-512, of which the module gets variants; a number alone is "
                "what they are taken for on devices (64)"},
    {.name = "images-at-once",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(images),
     .initial = "",
     .summary = "how many images of a batch go through the first layers at once, on CPUs: numbers "
                "that are compared before the search, as 1,2,8 (as an estimate has it)"},
    {.name = "error-budget",
     .type = TUNE_PASS_OPTION_PERCENT,
     INTO(rounding.budget),
     .summary =
         "by how much outputs may be off, the root mean square as a share of theirs, as 1%: "
         "the products that save most for that are rounded, to bf16, f16 or bytes, on CPUs (none)"},
    {.name = "inputs",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(rounding.inputs),
     .summary = "a .npz or .safetensors file with the arrays of the arguments, by their order, on "
                "which that is measured (random ones)"},
    {.name = "measure",
     .type = TUNE_PASS_OPTION_STRING,
     INTO(measure),
     .initial = "here",
     .summary = "where candidates are timed: here (default), or export:<folder>, elsewhere by "
                "tune-measure, round by round"},
    {.name = "round",
     .type = TUNE_PASS_OPTION_INTEGER,
     INTO(round),
     .minimum = 1,
     .maximum = 100000,
     .initial = "64",
     .summary = "measure=export: so many candidates of each task at once (64)"},
    {.name = "export-wait",
     .type = TUNE_PASS_OPTION_SECONDS,
     INTO(search.export_wait),
     .summary = "measure=export: wait so long for the results of a round (90, 5m, 1h)"},
    {.name = "timing",
     .type = TUNE_PASS_OPTION_FLAG,
     INTO(timing),
     .initial = "false",
     .summary = "say how long each stage took"},
    {.name = "report",
     .type = TUNE_PASS_OPTION_ENUM,
     INTO(report),
     .words = report_words,
     .initial = "auto",
     .summary = "progress on stderr: auto (default), live, plain, quiet"},
};

// A bound of nothing is none that anybody means.
static tune_status refuse_nothing(const tune_pass_options *options, const char *name, double value,
                                  const char *hint) {
  return !tune_pass_options_is_given(options, name) || value > 0
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT, "option '%s': expected more than 0%s", name,
                                hint);
}

static tune_status check_numbers(const tune_pass_options *options,
                                 const tune_search_options *search) {
  static const char hint[] = "; without it there is no bound";
  const tune_measuring *measuring = &search->measuring;
  TUNE_RETURN_IF_ERROR(refuse_nothing(options, "time", search->seconds, hint));
  TUNE_RETURN_IF_ERROR(
      refuse_nothing(options, "target-percent-of-peak", search->session.target_percent, hint));
  TUNE_RETURN_IF_ERROR(refuse_nothing(options, "precision", measuring->precision, ""));
  if (tune_pass_options_is_given(options, "budget") &&
      !(measuring->budget > 0 && measuring->budget <= TUNE_MOST_BUDGET))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'budget': expected more than 0, and at most %.0fs",
                            TUNE_MOST_BUDGET);
  return TUNE_OK;
}

#define EXPORT_PREFIX "export:"

// What is about measuring here has no meaning elsewhere, and the other way round.
static tune_status check_measure(const tune_pass_options *options, const char *target,
                                 bool is_elsewhere) {
  static const char *const here[] = {"time", NULL};
  static const char *const elsewhere[] = {"round", "export-wait", NULL};
  for (const char *const *names = is_elsewhere ? here : elsewhere; *names; names++) {
    const char *name = *names;
    if (tune_pass_options_is_given(options, name))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "option '%s' has no meaning %s measure=export:<folder>: %s", name,
                              is_elsewhere ? "with" : "without",
                              is_elsewhere ? "there are as many rounds as trials= and round= say"
                                           : "nothing is exported");
  }
  if (is_elsewhere && strcmp(target, "null") == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "measure=export:<folder>: on the target null "
                                                   "nothing is built that could be exported");
  return TUNE_OK;
}

static tune_status read_measure(const tune_pass_options *options, search_settings *settings) {
  tune_search_options *search = &settings->search;
  const char *text = settings->measure;
  bool is_elsewhere = strncmp(text, EXPORT_PREFIX, strlen(EXPORT_PREFIX)) == 0;
  if (!is_elsewhere && strcmp(text, "here") != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'measure': expected here or export:<folder>, got '%s'", text);
  if (is_elsewhere && !text[strlen(EXPORT_PREFIX)])
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'measure': expected a folder after 'export:'");
  TUNE_RETURN_IF_ERROR(check_measure(options, search->tasks.target, is_elsewhere));
  if (!is_elsewhere)
    return TUNE_OK;
  search->export_folder = text + strlen(EXPORT_PREFIX);
  search->session.round = settings->round;
  return TUNE_OK;
}

static tune_status read_rounding(const tune_pass_options *options, search_settings *settings) {
  tune_precision_wanted *rounding = &settings->rounding;
  TUNE_RETURN_IF_ERROR(
      refuse_nothing(options, "error-budget", rounding->budget, "; without it nothing is rounded"));
  rounding->budget /= 100;
  tune_allowances allowed = tune_task_options_get_allowances(options);
  rounding->allowances = allowed ? allowed : TUNE_ROUNDED_ALL;
  if (rounding->budget > 0 && allowed & ~TUNE_ROUNDED_ALL)
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "option 'error-budget' is about bf16, f16 and int8, which it takes as far "
        "as it goes; allow= restricts it to one of these");
  if (rounding->budget > 0 && settings->stock)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'error-budget' is not for ops in their stock form, whose "
                            "schedules round nothing; take it or stock away");
  if (rounding->inputs && !(rounding->budget > 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'inputs' has no meaning without error-budget: it is the data "
                            "that errors are measured on");
  return TUNE_OK;
}

// The bounds of a task, where they are not given one by one.
static void apply_effort(const tune_pass_options *options, search_settings *settings) {
  enum { QUICK_TRIALS = 32, FULL_TRIALS = 512 };
  static const double quick_seconds = 3;
  tune_session_options *session = &settings->search.session;
  bool is_quick = strcmp(settings->effort, "quick") == 0;
  bool is_full = strcmp(settings->effort, "full") == 0;
  if ((is_quick || is_full) && !tune_pass_options_is_given(options, "trials"))
    session->trials = is_quick ? QUICK_TRIALS : FULL_TRIALS;
  if (is_quick)
    session->seconds = quick_seconds;
}

static tune_status read_levels(search_settings *settings) {
  tune_search_options *search = &settings->search;
  return tune_status_annotate(
      tune_layers_parse(settings->levels, &search->session.layers, &search->tasks.levels),
      "option 'levels'");
}

// A number alone, or sizes that there are to be variants for.
static tune_status read_sizes(search_settings *settings) {
  tune_size_spec spec;
  TUNE_RETURN_IF_ERROR(
      tune_status_annotate(tune_size_spec_parse(settings->sizes, &spec), "option 'dynamic'"));
  if (tune_size_spec_is_number(settings->sizes))
    settings->dynamic = spec.items[0].first;
  else
    settings->variants = settings->sizes;
  return TUNE_OK;
}

static tune_status read_options(const tune_pass_options *options, search_settings *settings) {
  tune_search_options *search = &settings->search;
  tune_strategy_options *strategy = &search->session.strategy_options;
  *settings = (search_settings){.dynamic = TUNE_DYNAMIC_SIZE};
  tune_search_options_init(search);
  tune_pass_options_fill(options, settings);
  // Their rows are shared with other passes, and have no place in this one's struct.
  search->tasks.allowed_passes = tune_pass_options_get_text(options, "allow-pass");
  search->tasks.by_target = tune_pass_options_get_flag(options, "by-target");
  apply_effort(options, settings);
  search->session.plateau_percent = 1;
  search->session.interrupted = &interrupted;
  // Percentages to shares; below 0 the strategy chooses.
  if (strategy->mutation_rate > 0)
    strategy->mutation_rate /= 100;
  search->measuring.precision /= 100;
  TUNE_RETURN_IF_ERROR(check_numbers(options, search));
  TUNE_RETURN_IF_ERROR(read_measure(options, settings));
  TUNE_RETURN_IF_ERROR(read_levels(settings));
  TUNE_RETURN_IF_ERROR(read_sizes(settings));
  TUNE_RETURN_IF_ERROR(read_rounding(options, settings));
  TUNE_RETURN_IF_ERROR(tune_status_annotate(
      tune_turns_wanted_parse(settings->images, &settings->turns), "option 'images-at-once'"));
  return tune_selection_parse(settings->selection, &strategy->selection);
}

//===--------------------------------------------------------------------------===//
// The pass
//===--------------------------------------------------------------------------===//

static tune_status take_stock_form(MlirOperation module, const search_settings *settings) {
  bool has_others;
  TUNE_RETURN_IF_ERROR(tune_stock_form_take(mlirModuleFromOperation(module),
                                            tune_module_tasks_cpu_threads(&settings->search.tasks),
                                            &has_others));
  if (has_others)
    tune_warning_emit(tune_location_get(module),
                      "without stock some ops of this module have another form, which is mostly "
                      "faster: tune-run compares this one with a module that was tuned so");
  return TUNE_OK;
}

// The function that the module is measured by at the end, where one is named.
static tune_status check_function(MlirOperation module, const char *name) {
  MlirOperation function;
  return name ? tune_ir_find_function(module, name, &function) : TUNE_OK;
}

static tune_status search_run(MlirOperation module, const tune_pass_options *options) {
  search_settings settings;
  TUNE_RETURN_IF_ERROR(read_options(options, &settings));
  TUNE_RETURN_IF_ERROR(check_function(module, settings.search.function));
  const tune_search_reporting reporting = {
      .stream = stderr, .style = settings.report, .timing = settings.timing};
  if (!(settings.rounding.budget > 0)) // which is no leave for all
    tune_task_options_allow(options, module);
  enter_search();
  tune_variant_plan plan = {.count = 0};
  tune_status status = settings.stock ? take_stock_form(module, &settings) : TUNE_OK;
  if (tune_status_is_ok(status) && settings.rounding.budget > 0)
    status = tune_precision_search(module, &settings.search, &settings.rounding, &reporting);
  if (tune_status_is_ok(status))
    status = tune_module_variants_make(module, settings.search.function, settings.variants, &plan);
  if (tune_status_is_ok(status))
    status = tune_search_variants(module, &settings.search, settings.dynamic, &settings.turns,
                                  &plan, &reporting);
  tune_variant_plan_deinit(&plan);
  leave_search();
  return status;
}

static const tune_dialect_getter dialects[] = {mlirGetDialectHandle__arith__,
                                               mlirGetDialectHandle__func__,
                                               mlirGetDialectHandle__memref__,
                                               mlirGetDialectHandle__scf__,
                                               mlirGetDialectHandle__tensor__,
                                               mlirGetDialectHandle__transform__,
                                               NULL};

const tune_pass_class tune_pass_search = {
    .name = "tune-search",
    .summary = "Find the fastest schedule of each task by building and timing candidates",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = dialects,
    .run = search_run,
};
