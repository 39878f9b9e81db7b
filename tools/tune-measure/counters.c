//===- counters.c - What the processor counted while a kernel ran -----------------------===//

#include "tools/tune-measure/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char *name;
  uint32_t type;
  uint64_t config;
} KINDS[COUNTER_KINDS] = {
    [COUNTER_CYCLES] = {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [COUNTER_INSTRUCTIONS] = {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [COUNTER_CACHE_MISSES] = {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [COUNTER_BRANCH_MISSES] = {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    [COUNTER_PAGE_FAULTS] = {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

static int64_t count_switches(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

void counters_open(counters *c) {
  *c = (counters){0};
  for (size_t i = 0; i < COUNTER_KINDS; ++i) {
    struct perf_event_attr event = {
        .type = KINDS[i].type,
        .size = sizeof event,
        .config = KINDS[i].config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    c->fds[i] = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    c->errors[i] = c->fds[i] < 0 ? errno : 0;
  }
}

void counters_close(counters *c) {
  for (size_t i = 0; i < COUNTER_KINDS; ++i)
    if (c->fds[i] >= 0)
      (void)close(c->fds[i]);
}

static void tell_all(const counters *c, unsigned long what) {
  for (size_t i = 0; i < COUNTER_KINDS; ++i)
    if (c->fds[i] >= 0)
      (void)ioctl(c->fds[i], what, 0);
}

void counters_start(counters *c) {
  c->switches_before = count_switches();
  tell_all(c, PERF_EVENT_IOC_ENABLE);
}

void counters_stop(counters *c, uint64_t runs) {
  tell_all(c, PERF_EVENT_IOC_DISABLE);
  c->switches += count_switches() - c->switches_before;
  c->runs += runs;
}

// Events while the counter was enabled; false where it was never given a place to count.
static bool read_counter(int fd, double *out_events) {
  struct {
    uint64_t events, enabled, running;
  } counted;
  if (fd < 0 || read(fd, &counted, sizeof counted) != (ssize_t)sizeof counted)
    return false;
  *out_events = (double)counted.events;
  if (counted.running == 0)
    return counted.events == 0 && counted.enabled == 0;
  *out_events *= (double)counted.enabled / (double)counted.running;
  return true;
}

static void say_why(const counters *c, size_t kind, char *text, size_t size) {
  int error = c->errors[kind];
  if (error == EACCES || error == EPERM)
    (void)snprintf(text, size,
                   "the kernel does not let users have the processor's counters; "
                   "/proc/sys/kernel/perf_event_paranoid of 2 or less does");
  else if (error == ENOENT || error == EOPNOTSUPP)
    (void)snprintf(text, size,
                   "this machine has no counters of the processor; most virtual "
                   "machines have none");
  else
    (void)snprintf(text, size, "%s", error ? strerror(error) : "no counter was free");
}

tune_status counters_to_json(const counters *c, json_t **out_object) {
  *out_object = NULL;
  if (!c->runs)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "nothing was counted");
  json_t *object = json_object();
  char why[160] = "";
  for (size_t i = 0; i < COUNTER_KINDS; ++i) {
    double events;
    bool is_known = read_counter(c->fds[i], &events);
    if (!is_known && !why[0])
      say_why(c, i, why, sizeof why);
    json_object_set_new(object, KINDS[i].name,
                        is_known ? json_real(events / (double)c->runs) : json_null());
  }
  json_object_set_new(object, "context_switches", json_real((double)c->switches / (double)c->runs));
  if (why[0])
    json_object_set_new(object, "missing", json_string(why));
  if (json_object_size(object) != COUNTER_KINDS + 1 + (why[0] != 0)) {
    json_decref(object);
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reporting counters");
  }
  *out_object = object;
  return TUNE_OK;
}
