//===- fake_server.c - tune-worker and tune-measure without compiler and device -------===//
//
// Speaks the protocol of docs/protocol.md. Built twice: FAKE_WORKER is defined or not. An
// artifact is a text file with two numbers, its time in milliseconds and a fault, which are the
// values of the knobs "time" and "fault". What happened when goes to the file $FAKE_LOG, one line
// each.
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "support/message.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_faults.h"

static void check(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "fake server: %s\n", what);
  exit(9);
}

static void say(const json_t *message) {
  tune_status status = tune_message_write(STDOUT_FILENO, message);
  check(tune_status_is_ok(status), tune_status_get_message(status));
}

static void answer(json_t *message) {
  check(message != NULL, "cannot make an answer");
  say(message);
  json_decref(message);
}

static void log_span(const char *what, double begin) {
  FILE *file = fopen(getenv("FAKE_LOG"), "ae");
  check(file != NULL, "cannot open the log");
  fprintf(file, "%s %.6f %.6f\n", what, begin, tune_clock_seconds());
  fclose(file);
}

// True the first time that any fake server gets here for `fault`.
static bool is_first_time(int fault) {
  char path[512];
  snprintf(path, sizeof path, "%s.%d", getenv("FAKE_LOG"), fault);
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static void write_half(int fd, const char *bytes, size_t size) {
  check(write(fd, bytes, size / 2) == (ssize_t)(size / 2), "cannot write");
}

// Sends half of a message, as one that is killed while it sends.
_Noreturn static void be_cut_off(json_t *message) {
  char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
  check(text != NULL, "cannot make an answer");
  uint32_t length = (uint32_t)strlen(text); // all machines that run this are little-endian
  check(write(STDOUT_FILENO, &length, 4) == 4, "cannot write");
  write_half(STDOUT_FILENO, text, length);
  raise(SIGKILL);
  exit(9);
}

static void die(void) {
  fprintf(stderr, "something terrible\n");
  exit(3);
}

#ifdef FAKE_WORKER

static void serve_open(const json_t *request) {
  const char *payload = json_string_value(json_object_get(request, "payload"));
  const char *id = json_string_value(json_object_get(request, "task"));
  check(payload && id, "open without payload");
  log_span("open-worker", tune_clock_seconds());
  if (strcmp(payload, "not MLIR") == 0)
    answer(json_pack("{s:{s:s, s:s}, s:s}", "error", "code", "invalid argument", "message",
                     "payload.mlir:1:1: expected an operation", "task", id));
  else
    answer(json_pack("{s:s, s:{s:s, s:[], s:[]}}", "task", id, "signature", "entry", "tune_entry",
                     "arguments", "results"));
}

static void serve_build(const json_t *request) {
  double begin = tune_clock_seconds();
  json_int_t ticket = json_integer_value(json_object_get(request, "ticket"));
  const json_t *config = json_object_get(request, "config");
  json_int_t time = 1000, fault = FAULT_NONE;
  if (json_is_object(config)) {
    time = json_integer_value(json_object_get(config, "time"));
    fault = json_integer_value(json_object_get(config, "fault"));
  }
  tune_clock_sleep(0.002);
  if (fault == FAULT_WORKER_DIES || (fault == FAULT_WORKER_DIES_ONCE && is_first_time(fault)))
    die();
  if (fault == FAULT_WORKER_KILLED_ONCE && is_first_time(fault)) {
    int file = open(json_string_value(json_object_get(request, "output")),
                    O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    write_half(file, "1234 5678", 9);
    raise(SIGKILL);
  }
  if (fault == FAULT_WORKER_HANGS)
    tune_clock_sleep(1000);
  if (fault == FAULT_BUILD_FAILS) {
    answer(json_pack("{s:I, s:s, s:s}", "ticket", ticket, "verdict", "build-failed", "error",
                     "no such luck"));
    return;
  }
  FILE *file = fopen(json_string_value(json_object_get(request, "output")), "we");
  check(file != NULL, "cannot write the artifact");
  fprintf(file, "%d %d\n", (int)time, (int)fault);
  fclose(file);
  char digest[64];
  snprintf(digest, sizeof digest, "%d-%d", (int)time, (int)fault);
  log_span("build", begin);
  json_t *reply = json_pack("{s:I, s:s, s:s, s:{s:f, s:f, s:f, s:f, s:f}}", "ticket", ticket,
                            "verdict", "built", "digest", digest, "seconds", "transform", 0.001,
                            "lower", 0.002, "optimize", 0.003, "codegen", 0.004, "link", 0.005);
  if (fault == FAULT_CHILD_KILLED_ONCE)
    json_object_set_new(reply, "run_again", json_true());
  if (fault == FAULT_WORKER_CUT_OFF || (fault == FAULT_WORKER_CUT_OFF_ONCE && is_first_time(fault)))
    be_cut_off(reply);
  answer(reply);
}

static void serve(const char *what, const json_t *request) {
  if (strcmp(what, "open") == 0)
    serve_open(request);
  else if (strcmp(what, "build") == 0)
    serve_build(request);
  else
    check(strcmp(what, "cancel") == 0, "an unknown request to the worker");
}

#else

static void read_artifact(const char *path, double *out_time, int *out_fault) {
  FILE *file = path ? fopen(path, "re") : NULL;
  check(file != NULL, "cannot read the artifact");
  int time;
  check(fscanf(file, "%d %d", &time, out_fault) == 2, "not an artifact");
  *out_time = time * 1e-3;
  fclose(file);
}

static json_t *timing(double time) {
  return json_pack("{s:[f,f,f], s:f, s:f, s:f, s:i}", "samples", time * 1.01, time, time * 0.99,
                   "median", time, "low", time * 0.99, "high", time * 1.01, "repeats", 3);
}

static size_t open_tasks;
static bool is_counting;

// One task is open at a time; one that is opened without closing the one before is a mistake.
static void serve_open(const json_t *request) {
  double time;
  int fault;
  check(++open_tasks == 1, "a task is open already");
  read_artifact(json_string_value(json_object_get(request, "reference")), &time, &fault);
  check(json_is_object(json_object_get(request, "signature")), "open without signature");
  check(json_array_size(json_object_get(request, "cpus")) > 0, "open without cpus");
  is_counting = json_is_true(json_object_get(request, "counters"));
  bool is_beside = json_array_size(json_object_get(request, "reference_cpus")) > 0;
  log_span(is_beside ? "open-beside" : "open-measurer", tune_clock_seconds());
  answer(
      json_pack("{s:O, s:f}", "task", json_object_get(request, "task"), "reference_seconds", time));
}

static void serve_close(const json_t *request) {
  check(open_tasks-- == 1, "closing what is not open");
  answer(json_pack("{s:O}", "task", json_object_get(request, "task")));
}

static void serve_measure(const json_t *request) {
  double begin = tune_clock_seconds(), time;
  int fault;
  json_t *ticket = json_object_get(request, "ticket");
  read_artifact(json_string_value(json_object_get(request, "artifact")), &time, &fault);
  tune_clock_sleep(0.002);
  if (fault == FAULT_MEASURER_DIES || (fault == FAULT_MEASURER_DIES_ONCE && is_first_time(fault)))
    die();
  if (fault == FAULT_MEASURER_KILLED_ONCE && is_first_time(fault))
    raise(SIGKILL);
  log_span("measure", begin);
  if (fault == FAULT_RUN_CRASHES) {
    answer(json_pack("{s:O, s:s, s:s}", "ticket", ticket, "verdict", "run-crashed", "error",
                     "SIGSEGV"));
    return;
  }
  if (fault == FAULT_NO_MEDIAN) {
    answer(json_pack("{s:O, s:s}", "ticket", ticket, "verdict", "ok"));
    return;
  }
  for (int i = 1; fault == FAULT_WAITS && i < 4; ++i)
    answer(json_pack("{s:O, s:f}", "ticket", ticket, "waiting", 5.0 * i));
  bool is_wrong = fault == FAULT_WRONG;
  json_t *reply = timing(time);
  json_object_set(reply, "ticket", ticket);
  if (fault == FAULT_WAITS)
    json_object_set_new(reply, "waited", json_real(1000));
  json_object_set_new(reply, "verdict", json_string(is_wrong ? "wrong" : "ok"));
  json_object_set_new(reply, "check",
                      json_pack("{s:o, s:f, s:s, s:i, s:f, s:s}", "max_error",
                                is_wrong ? json_null() : json_real(1e-7), "tolerance", 1e-5, "type",
                                "f32", "reduction", 16, "magnitude", 2.5, "inputs", "dense"));
  if (is_counting)
    json_object_set_new(reply, "counters",
                        json_pack("{s:n, s:f, s:s}", "cycles", "page_faults", 0.25, "missing",
                                  "no counter was free"));
  if (fault == FAULT_CHILD_KILLED_ONCE)
    json_object_set_new(reply, "run_again", json_true());
  if (fault == FAULT_MEASURER_CUT_OFF_ONCE && is_first_time(fault))
    be_cut_off(reply);
  answer(reply);
}

static void serve_compare(const json_t *request) {
  json_t *results = json_array(), *ratios = json_array();
  const json_t *paths = json_object_get(request, "artifacts");
  double first = 0;
  bool is_cut_off = false;
  for (size_t i = 0; i < json_array_size(paths); ++i) {
    double time;
    int fault;
    read_artifact(json_string_value(json_array_get(paths, i)), &time, &fault);
    if (fault == FAULT_WRONG) {
      json_decref(results);
      json_decref(ratios);
      answer(json_pack("{s:O, s:s, s:i, s:s}", "ticket", json_object_get(request, "ticket"),
                       "verdict", "wrong", "artifact", (int)i, "error", "off by one"));
      return;
    }
    if (fault == FAULT_COMPARE_HANGS)
      tune_clock_sleep(1000);
    if (fault == FAULT_COMPARER_KILLED_ONCE && is_first_time(fault))
      raise(SIGKILL);
    is_cut_off = is_cut_off || (fault == FAULT_COMPARER_CUT_OFF_ONCE && is_first_time(fault));
    first = i ? first : time;
    json_array_append_new(results, timing(time));
    json_array_append_new(ratios, json_pack("{s:f, s:f, s:f}", "ratio", time / first, "low",
                                            time / first * 0.99, "high", time / first * 1.01));
  }
  json_t *reply = json_pack("{s:O, s:o, s:o}", "ticket", json_object_get(request, "ticket"),
                            "results", results, "ratios", ratios);
  if (is_cut_off)
    be_cut_off(reply);
  answer(reply);
}

static void serve(const char *what, const json_t *request) {
  if (strcmp(what, "open") == 0)
    serve_open(request);
  else if (strcmp(what, "measure") == 0)
    serve_measure(request);
  else if (strcmp(what, "compare") == 0)
    serve_compare(request);
  else if (strcmp(what, "close") == 0)
    serve_close(request);
  else
    check(strcmp(what, "cancel") == 0, "an unknown request to the measurer");
}

#endif

// Says hello in the version of the protocol that $FAKE_PROTOCOL names.
static void greet_wrongly(const char *protocol) {
  json_t *hello = NULL;
  answer(json_pack("{s:s, s:i}", "hello", "fake", "protocol", atoi(protocol)));
  tune_status_free(tune_message_read(STDIN_FILENO, &hello));
  json_decref(hello);
}

int main(void) {
  if (getenv("FAKE_PROTOCOL")) {
    greet_wrongly(getenv("FAKE_PROTOCOL"));
    return 0;
  }
  char *peer = NULL;
  tune_status status = tune_message_handshake(STDIN_FILENO, STDOUT_FILENO, "fake", &peer);
  check(tune_status_is_ok(status), tune_status_get_message(status));
  free(peer);
  for (;;) {
    json_t *request;
    status = tune_message_read(STDIN_FILENO, &request);
    if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
      tune_status_free(status);
      return 0;
    }
    check(tune_status_is_ok(status), tune_status_get_message(status));
    serve(json_string_value(json_object_get(request, "do")), request);
    json_decref(request);
  }
}
