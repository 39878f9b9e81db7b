//===- counters.c - Performance counters of a run ----------------------------===//

#include "tools/tune-measure/counts/counters.h"

#include "support/string_builder.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int64_t count_switches(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

//===- Opening -----------------------------------------------------------------------------===//

static void open_event(counters *c, tune_count_kind kind, uint32_t type, uint64_t config,
                       double weight, size_t pass) {
  struct perf_event_attr event = {
      .type = type,
      .size = sizeof event,
      .config = config,
      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
      .disabled = 1,
      .inherit = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  c->events[c->event_count++] = (counters_event){
      .kind = kind, .weight = weight, .pass = pass, .fd = fd, .error = fd < 0 ? errno : 0};
}

void counters_open(counters *c, const cpu_identity *cpu) {
  static const struct {
    tune_count_kind kind;
    uint32_t type;
    uint64_t config;
  } FIRST[COUNTERS_OF_PASS + 1] = {
      {TUNE_COUNT_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
      {TUNE_COUNT_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      {TUNE_COUNT_CACHE_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
      {TUNE_COUNT_BRANCH_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
      // Of the kernel, which takes no counter.
      {TUNE_COUNT_PAGE_FAULTS, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
  };
  *c = (counters){.cpu = *cpu};
  for (size_t i = 0; i < sizeof FIRST / sizeof *FIRST; ++i)
    open_event(c, FIRST[i].kind, FIRST[i].type, FIRST[i].config, 1, 0);
  flop_event flops[FLOP_EVENT_LIMIT];
  size_t count = flop_events_find(cpu, flops);
  for (size_t i = 0; i < count; ++i)
    open_event(c, TUNE_COUNT_FLOPS, PERF_TYPE_RAW, flops[i].config, flops[i].flops,
               1 + i / COUNTERS_OF_PASS);
}

void counters_close(counters *c) {
  for (size_t i = 0; i < c->event_count; ++i)
    if (c->events[i].fd >= 0)
      (void)close(c->events[i].fd);
}

//===- Counting ----------------------------------------------------------------------------===//

size_t counters_pass_count(const counters *c) {
  size_t count = 1;
  for (size_t i = 0; i < c->event_count; ++i)
    if (c->events[i].fd >= 0 && c->events[i].pass >= count)
      count = c->events[i].pass + 1;
  return count;
}

static void tell_pass(const counters *c, size_t pass, unsigned long what) {
  for (size_t i = 0; i < c->event_count; ++i)
    if (c->events[i].fd >= 0 && c->events[i].pass == pass)
      (void)ioctl(c->events[i].fd, what, 0);
}

void counters_start(counters *c, size_t pass) {
  c->switches_before = count_switches();
  tell_pass(c, pass, PERF_EVENT_IOC_ENABLE);
}

void counters_stop(counters *c, size_t pass, uint64_t runs) {
  tell_pass(c, pass, PERF_EVENT_IOC_DISABLE);
  if (pass == 0)
    c->switches += count_switches() - c->switches_before;
  c->runs[pass] += runs;
}

//===- Reporting ---------------------------------------------------------------------------===//

// Events while the counter was enabled; false where it was never given a place to count.
static bool read_event(const counters_event *event, double *out_events) {
  struct {
    uint64_t events, enabled, running;
  } counted;
  if (event->fd < 0 || read(event->fd, &counted, sizeof counted) != (ssize_t)sizeof counted)
    return false;
  *out_events = (double)counted.events;
  if (counted.running == 0)
    return counted.events == 0 && counted.enabled == 0;
  *out_events *= (double)counted.enabled / (double)counted.running;
  return true;
}

// Adds a reason, once.
static void add_reason(tune_string_builder *why, const char *reason) {
  if (why->text && strstr(why->text, reason))
    return;
  tune_string_builder_appendf(why, "%s%s", why->length ? "; " : "", reason);
}

static void say_why(const counters_event *event, tune_string_builder *why) {
  int error = event->error;
  if (error == EACCES || error == EPERM)
    add_reason(why, "the kernel does not let users have the processor's counters; "
                    "/proc/sys/kernel/perf_event_paranoid of 2 or less does");
  else if (error == ENOENT || error == EOPNOTSUPP)
    add_reason(why, "this machine has no counters of the processor; most virtual machines have "
                    "none");
  else
    add_reason(why, error ? strerror(error) : "no counter was free");
}

static void say_unknown_cpu(const cpu_identity *cpu, tune_string_builder *why) {
  char reason[96];
  if (*cpu->vendor)
    (void)snprintf(reason, sizeof reason, "what counts FLOPs is not known of %s family %u model %u",
                   cpu->vendor, cpu->family, cpu->model);
  else
    (void)snprintf(reason, sizeof reason, "what counts FLOPs is not known of this processor");
  add_reason(why, reason);
}

// Of a kind all events have to be known.
static void count_kind(const counters *c, tune_count_kind kind, tune_counts *counts,
                       tune_string_builder *why) {
  bool is_known = false, lacks_some = false;
  double sum = 0;
  for (size_t i = 0; i < c->event_count; ++i) {
    const counters_event *event = &c->events[i];
    double events;
    if (event->kind != kind)
      continue;
    is_known = read_event(event, &events);
    if (is_known)
      sum += event->weight * events / (double)c->runs[event->pass];
    else
      say_why(event, why);
    lacks_some = lacks_some || !is_known;
  }
  counts->is_known[kind] = is_known && !lacks_some;
  counts->of_run[kind] = counts->is_known[kind] ? sum : 0;
  if (!is_known && !lacks_some)
    say_unknown_cpu(&c->cpu, why);
}

tune_status counters_to_json(const counters *c, json_t **out_object) {
  *out_object = NULL;
  for (size_t pass = 0; pass < counters_pass_count(c); ++pass)
    if (!c->runs[pass])
      return tune_status_make(TUNE_FAILED_PRECONDITION, "nothing was counted");
  tune_counts counts = {0};
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  for (int kind = 0; kind < TUNE_COUNT_CONTEXT_SWITCHES; ++kind)
    count_kind(c, (tune_count_kind)kind, &counts, &builder);
  counts.is_known[TUNE_COUNT_CONTEXT_SWITCHES] = true;
  counts.of_run[TUNE_COUNT_CONTEXT_SWITCHES] = (double)c->switches / (double)c->runs[0];
  char *why;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&builder, &why));
  *out_object = tune_counts_to_reply(&counts, why ? why : "");
  free(why);
  return *out_object ? TUNE_OK : tune_status_out_of_memory("reporting counters");
}
