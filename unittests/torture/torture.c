//===- torture.c - Running scenarios with faults ---------------------------------===//

#include "torture.h"

#include "failing_calls.h"
#include "leftovers.h"

#include "support/file.h"
#include "support/scratch.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_LIMIT ((size_t)1 << 16)
#define SHOWN_PROBLEMS 12
// That a run may take; the longest takes some tenths of a second.
#define RUN_SECONDS 120

// Under a sanitizer each run takes many times as long: of the allocations of a scenario so many
// fail, evenly spread, each scenario beginning with another one.
#ifdef __SANITIZE_ADDRESS__
#define ALLOCATION_LIMIT ((size_t)150)
#else
#define ALLOCATION_LIMIT SIZE_MAX
#endif

//===- What scenarios say ---------------------------------------------------------===//

static char said[TEXT_LIMIT];
static size_t said_length;

void torture_say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(said + said_length, TEXT_LIMIT - said_length, format, arguments);
  va_end(arguments);
  size_t room = TEXT_LIMIT - said_length - 1;
  said_length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
}

tune_status torture_expect(tune_status status, tune_status_code code, const char *text) {
  if (tune_status_is_ok(status))
    return tune_status_make(TUNE_INTERNAL, "it went well, but not '%s'", text);
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), text))
    return status;
  torture_say("%s\n", strstr(tune_status_get_message(status), text));
  tune_status_free(status);
  return TUNE_OK;
}

void torture_forget_said(void) { said_length = 0; }

// What was said since the last take.
static void take_said(char text[TEXT_LIMIT]) {
  said[said_length] = '\0';
  memcpy(text, said, said_length + 1);
  said_length = 0;
}

torture_path torture_in(const char *folder, const char *name) {
  torture_path path;
  snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
  return path;
}

void torture_sweep(const char *folder) {
  (void)folder;
  tune_scratch *scratch = NULL;
  tune_status_free(tune_scratch_create(&scratch));
  tune_scratch_destroy(scratch);
}

//===- One run ----------------------------------------------------------------------===//

typedef struct fault {
  failing_calls_kind kind;
  size_t n, number; // the n-th call, by this fault of its function; n = 0: none
} fault;

// A scenario while it is run.
typedef struct torturer {
  const torture_scenario *scenario;
  torture_path root, original, folder; // original is copied to folder for each run
  char before[TEXT_LIMIT];             // what the look said of the original
  char result[TEXT_LIMIT];             // what an undisturbed run said
  char after[TEXT_LIMIT];              // what the look said after it
  leftover_files files;                // that are there before an undisturbed run, or after it
  size_t failures[2];                  // that were made, by kind
  size_t problems;
  bool shows_calls;
} torturer;

static void must(tune_status status, const char *what) {
  if (tune_status_is_ok(status))
    return;
  fprintf(stderr, "%s: %s\n", what, tune_status_get_message(status));
  exit(1);
}

static void show_addresses(const char *title, void *const *addresses, size_t count) {
  fprintf(stderr, "  %s\n", title);
  fflush(stderr);
  backtrace_symbols_fd(addresses, (int)count, STDERR_FILENO);
}

// Says what is wrong with a run in which `outcome` failed.
static void complain(torturer *t, const fault *f, const failing_calls_outcome *outcome,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
static void complain(torturer *t, const fault *f, const failing_calls_outcome *outcome,
                     const char *format, ...) {
  if (++t->problems > SHOWN_PROBLEMS)
    return;
  fprintf(stderr, "%s %s %zu %zu (%s: %s): ", t->scenario->name,
          f->kind == FAILING_ALLOCATIONS ? "allocation" : "system", f->n, f->number,
          outcome->name ? outcome->name : "nothing failed",
          outcome->error == FAILING_CALL_HALF ? "half of it" : strerror(outcome->error));
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  if (outcome->name && t->shows_calls) {
    void *const *addresses;
    size_t count = failing_calls_get_trace(&addresses);
    show_addresses("the call:", addresses, count);
  }
}

static void look(const torturer *t, const char *folder, char text[TEXT_LIMIT]) {
  if (t->scenario->look)
    t->scenario->look(folder);
  take_said(text);
}

static bool begins_with(const char *text, const char *beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

// Whether files may be so after a run that failed.
static bool may_be_left(const torturer *t, const char *text) {
  return strcmp(text, t->before) == 0 || strcmp(text, t->after) == 0 ||
         (t->scenario->grows && begins_with(text, t->before) && begins_with(t->after, text));
}

// An interruption and a half are no failures.
static bool is_harmless(const failing_calls_outcome *outcome) {
  return outcome->error == EINTR || outcome->error == FAILING_CALL_HALF;
}

static void check_status(torturer *t, const fault *f, const failing_calls_outcome *outcome,
                         tune_status status, const char *result, const char *state) {
  const char *message = tune_status_get_message(status);
  const char *code = tune_status_code_name(tune_status_get_code(status));
  bool lacks_memory = tune_status_get_code(status) == TUNE_OUT_OF_MEMORY;
  if (tune_status_is_ok(status)) {
    if (strcmp(result, t->result) != 0)
      complain(t, f, outcome, "it went well, with another result:\n%s\nin place of\n%s", result,
               t->result);
    if (strcmp(state, t->after) != 0)
      complain(t, f, outcome, "it went well, and left\n%s\nin place of\n%s", state, t->after);
    return;
  }
  if (!outcome->name || is_harmless(outcome))
    complain(t, f, outcome, "it failed: %s: %s", code, message);
  else if (lacks_memory != (outcome->error == ENOMEM))
    complain(t, f, outcome, "it failed for another reason: %s: %s", code, message);
  if (!may_be_left(t, state))
    complain(t, f, outcome, "it failed (%s), and left\n%s\nin place of\n%s", message, state,
             t->before);
}

// What cannot be removed stays.
static bool removes(const char *name) {
  static const char *const NAMES[] = {"unlink", "unlinkat", "remove",   "rmdir",
                                      "openat", "fstatat",  "fdopendir"};
  for (size_t i = 0; name && i < sizeof NAMES / sizeof *NAMES; ++i)
    if (strcmp(name, NAMES[i]) == 0)
      return true;
  return false;
}

static void check_leftovers(torturer *t, const fault *f, const failing_calls_outcome *outcome,
                            const leftover_fds *fds) {
  void *const *makers;
  size_t shown, blocks = failing_calls_end_blocks(&makers, &shown);
  if (blocks) {
    complain(t, f, outcome, "%zu blocks of memory are left", blocks);
    if (t->shows_calls)
      show_addresses("made at:", makers, shown);
  }
  int fd = leftover_fd(fds);
  if (fd >= 0)
    complain(t, f, outcome, "descriptor %d is left open", fd);
  if (leftover_child())
    complain(t, f, outcome, "a child process is left");
}

// Ends the program where a run does not end, and says which one.
static char running[256];

static void end_hang(int number) {
  (void)number;
  ssize_t ignored = write(STDERR_FILENO, running, strlen(running));
  (void)ignored;
  _exit(1);
}

static void watch_run(const torturer *t, const fault *f) {
  snprintf(running, sizeof running, "%s %s %zu %zu: it hangs\n", t->scenario->name,
           f->kind == FAILING_ALLOCATIONS ? "allocation" : "system", f->n, f->number);
  signal(SIGALRM, end_hang);
  alarm(RUN_SECONDS);
}

// Runs once in a fresh folder and checks what came of it. Whether the fault happened.
static bool run_once(torturer *t, const fault *f) {
  leftover_copy(t->original.text, t->folder.text);
  leftover_fds fds = leftover_fds_now();
  failing_calls_begin_blocks();
  watch_run(t, f);
  failing_calls_arm(f->kind, f->n, f->number);
  tune_status status = t->scenario->run(t->folder.text);
  failing_calls_outcome outcome = failing_calls_disarm();
  alarm(0);
  static char result[TEXT_LIMIT], state[TEXT_LIMIT];
  take_said(result);
  char message[512];
  snprintf(message, sizeof message, "%s", tune_status_get_message(status));
  tune_status_code code = tune_status_get_code(status);
  tune_status_free(status);
  check_leftovers(t, f, &outcome, &fds);
  status = code ? tune_status_make(code, "%s", message) : TUNE_OK;
  look(t, t->folder.text, state);
  check_status(t, f, &outcome, status, result, state);
  tune_status_free(status);
  char name[256];
  if (!removes(outcome.name) && leftover_file(&t->files, t->folder.text, name))
    complain(t, f, &outcome, "the file %s is left", name);
  must(tune_file_remove_tree(t->folder.text), t->folder.text);
  t->failures[f->kind] += outcome.name != NULL;
  return outcome.name != NULL;
}

//===- One scenario -------------------------------------------------------------------===//

static void make_folders(torturer *t) {
  const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  t->root = torture_in(parent, "tune-torture-XXXXXX");
  if (!mkdtemp(t->root.text)) {
    perror(t->root.text);
    exit(1);
  }
  t->original = torture_in(t->root.text, "original");
  t->folder = torture_in(t->root.text, "run");
  torture_path temporary = torture_in(t->original.text, "tmp");
  must(tune_file_make_folders(temporary.text, 0700), temporary.text);
  setenv("TMPDIR", torture_in(t->folder.text, "tmp").text, 1);
}

// Runs it undisturbed: first for what libc and the libraries make once, then for its results.
static void run_undisturbed(torturer *t) {
  leftover_copy(t->original.text, t->folder.text);
  leftover_files_add(&t->files, t->folder.text);
  look(t, t->folder.text, t->before);
  tune_status status = t->scenario->run(t->folder.text);
  must(status, t->scenario->name);
  take_said(t->result);
  leftover_files_add(&t->files, t->folder.text);
  look(t, t->folder.text, t->after);
  must(tune_file_remove_tree(t->folder.text), t->folder.text);
}

static size_t hash(const char *text) {
  size_t value = 5381;
  for (; *text; ++text)
    value = value * 33 + (unsigned char)*text;
  return value;
}

static void fail_each(torturer *t, failing_calls_kind kind) {
  fault f = {.kind = kind};
  run_once(t, &f);
  size_t count = failing_calls_last_count();
  unsigned char *faults = calloc(count + 1, 1);
  if (!faults)
    must(tune_status_make(TUNE_OUT_OF_MEMORY, "counting calls"), t->scenario->name);
  for (size_t n = 1; n <= count; ++n)
    faults[n] = (unsigned char)failing_calls_faults(n);
  size_t step = 1;
  if (kind == FAILING_ALLOCATIONS && count > ALLOCATION_LIMIT)
    step = count / ALLOCATION_LIMIT + 1;
  for (f.n = 1 + hash(t->scenario->name) % step; f.n <= count; f.n += step)
    for (f.number = 0; f.number < faults[f.n]; ++f.number)
      run_once(t, &f);
  free(faults);
}

// Frees what it was given; returns how many problems there were.
static size_t torture(const torture_scenario *scenario, const fault *only, size_t failures[2]) {
  static torturer t;
  t = (torturer){.scenario = scenario};
  make_folders(&t);
  if (scenario->prepare)
    scenario->prepare(t.original.text);
  said_length = 0;
  run_undisturbed(&t);
  t.shows_calls = only != NULL;
  if (only) {
    if (!run_once(&t, only))
      fprintf(stderr, "%s: there is no such call, or fault of it\n", scenario->name);
  } else {
    fail_each(&t, FAILING_ALLOCATIONS);
    fail_each(&t, FAILING_SYSTEM_CALLS);
  }
  must(tune_file_remove_tree(t.root.text), t.root.text);
  printf("torture: %-24s allocations failed %zu times, system calls %zu times%s\n", scenario->name,
         t.failures[0], t.failures[1], t.problems ? ": PROBLEMS" : "");
  fflush(stdout);
  for (int kind = 0; kind < 2; ++kind)
    failures[kind] += t.failures[kind];
  return t.problems;
}

//===- All of them ----------------------------------------------------------------------===//

static bool is_asked_for(const char *name, int argc, char **argv) {
  if (argc < 2)
    return true;
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0)
      return true;
  return false;
}

int torture_main(int argc, char **argv, const torture_scenario *scenarios, size_t count) {
  fault only = {.kind = FAILING_ALLOCATIONS};
  bool has_only = argc == 5;
  if (has_only) {
    only.kind = strcmp(argv[2], "system") == 0 ? FAILING_SYSTEM_CALLS : FAILING_ALLOCATIONS;
    only.n = strtoul(argv[3], NULL, 10);
    only.number = strtoul(argv[4], NULL, 10);
  }
  size_t problems = 0, failures[2] = {0}, run = 0;
  for (size_t i = 0; i < count; ++i)
    if (is_asked_for(scenarios[i].name, argc, argv)) {
      problems += torture(&scenarios[i], has_only ? &only : NULL, failures);
      ++run;
    }
  printf("torture: allocations failed %zu times in %zu scenarios, system calls %zu times; "
         "%zu problems\n",
         failures[0], run, failures[1], problems);
  // A test that makes nothing fail proves nothing.
  return problems || run == 0 || failures[0] + failures[1] == 0;
}
