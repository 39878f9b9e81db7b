//===- counters_test.c - Events of made-up processors, and of a kernel that is none ----------===//
//
// perf_event_open is this test's own (--wrap=syscall): what it hands out are pipes, with what was
// counted in them. So the choice of events and the sums are tested where a machine has no counters,
// which most virtual ones have not.
//
//===------------------------------------------------------------------------------------------===//

#include "tools/tune-measure/counts/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

//===- A kernel ------------------------------------------------------------------------------===//

// What an event has counted when it is read.
typedef struct fake_event {
  uint32_t type;
  uint64_t config;
  uint64_t events, enabled, running;
  int error; // refuses it; 0: does not
} fake_event;

static struct {
  const fake_event *events; // ends with one of type UINT32_MAX
  int error;                // of events that are not in the list
  size_t asked;
} kernel;

static const fake_event *find_event(const struct perf_event_attr *wanted) {
  for (const fake_event *event = kernel.events; event->type != UINT32_MAX; ++event)
    if (event->type == wanted->type && event->config == wanted->config)
      return event;
  return NULL;
}

static int open_fake(const struct perf_event_attr *wanted) {
  ++kernel.asked;
  assert_true(wanted->disabled && wanted->inherit && wanted->exclude_kernel);
  assert_int_equal(wanted->read_format,
                   PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
  const fake_event *event = find_event(wanted);
  errno = event ? event->error : kernel.error;
  if (errno)
    return -1;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  const uint64_t counted[] = {event->events, event->enabled, event->running};
  assert_int_equal(write(ends[1], counted, sizeof counted), sizeof counted);
  close(ends[1]);
  return ends[0];
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, void *attributes, int process, int cpu, int group, int flags);

long __wrap_syscall(long number, void *attributes, int process, int cpu, int group, int flags) {
  if (number != SYS_perf_event_open)
    return __real_syscall(number, attributes, process, cpu, group, flags);
  assert_true(process == 0 && cpu == -1 && group == -1);
  return open_fake(attributes);
}

#define END                                                                                        \
  { .type = UINT32_MAX }
#define HARDWARE(which, count)                                                                     \
  { PERF_TYPE_HARDWARE, PERF_COUNT_HW_##which, count, 100, 100, 0 }
#define PAGE_FAULTS(count)                                                                         \
  { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, count, 100, 100, 0 }

//===- Processors ----------------------------------------------------------------------------===//

static cpu_identity identify(const char *vendor, unsigned family, unsigned model) {
  cpu_identity cpu = {.family = family, .model = model};
  strcpy(cpu.vendor, vendor);
  return cpu;
}

// CPUID's registers spell the vendor, and the digits of family and model are in several places.
static void processors_are_read_off_cpuid(void **state) {
  (void)state;
  // "Auth" "enti" "cAMD", an EPYC of Zen 4 (A10F11h).
  cpu_identity cpu = cpu_identity_from_cpuid(0x68747541, 0x444d4163, 0x69746e65, 0x00a10f11);
  assert_string_equal(cpu.vendor, "AuthenticAMD");
  assert_true(cpu.family == 0x19 && cpu.model == 0x11);
  // "Genu" "ineI" "ntel", a Xeon of Sapphire Rapids (806F8h).
  cpu = cpu_identity_from_cpuid(0x756e6547, 0x6c65746e, 0x49656e69, 0x000806f8);
  assert_string_equal(cpu.vendor, "GenuineIntel");
  assert_true(cpu.family == 6 && cpu.model == 0x8f);
  // The upper digits do not count in other families (a Geode).
  cpu = cpu_identity_from_cpuid(0x68747541, 0x444d4163, 0x69746e65, 0x0ff005a2);
  assert_true(cpu.family == 5 && cpu.model == 0xa);
#ifdef __x86_64__
  assert_int_equal(strlen(cpu_identity_here().vendor), 12);
  assert_true(cpu_identity_here().family >= 5);
#endif
}

static uint64_t config_of_amd(unsigned family, unsigned model) {
  cpu_identity cpu = identify("AuthenticAMD", family, model);
  flop_event events[FLOP_EVENT_LIMIT];
  size_t count = flop_events_find(&cpu, events);
  assert_in_range(count, 0, 1);
  assert_true(count == 0 || events[0].flops == 1);
  return count ? events[0].config : 0;
}

// One event that counts lanes; its mask differs.
static void amd_counts_operations(void **state) {
  (void)state;
  assert_int_equal(config_of_amd(0x17, 0x01), 0xff03); // Zen
  assert_int_equal(config_of_amd(0x17, 0x31), 0xff03); // Zen 2
  assert_int_equal(config_of_amd(0x19, 0x01), 0xff03); // Zen 3, Milan
  assert_int_equal(config_of_amd(0x19, 0x50), 0xff03); // Zen 3, Cezanne
  assert_int_equal(config_of_amd(0x19, 0x11), 0x1f03); // Zen 4, Genoa
  assert_int_equal(config_of_amd(0x19, 0x61), 0x1f03); // Zen 4, Raphael
  assert_int_equal(config_of_amd(0x19, 0xa0), 0x1f03); // Zen 4c, Bergamo
  assert_int_equal(config_of_amd(0x1a, 0x02), 0x0f03); // Zen 5, Turin
  assert_int_equal(config_of_amd(0x1a, 0x70), 0x0f03); // Zen 5, Strix Halo
  assert_int_equal(config_of_amd(0x1a, 0x50), 0);      // later
  assert_int_equal(config_of_amd(0x15, 0x02), 0);      // Bulldozer
}

// Instructions by their lanes: 512 bits only where there are any.
static void intel_counts_instructions_of_each_width(void **state) {
  (void)state;
  static const flop_event wide[] = {
      {0x03c7, 1}, {0x04c7, 2}, {0x18c7, 4}, {0x60c7, 8}, {0x80c7, 16}};
  flop_event events[FLOP_EVENT_LIMIT];
  cpu_identity cpu = identify("GenuineIntel", 6, 0x8f);
  assert_int_equal(flop_events_find(&cpu, events), 5);
  for (size_t i = 0; i < 5; ++i)
    assert_true(events[i].config == wide[i].config && events[i].flops == wide[i].flops);
  cpu.model = 0x4f; // Broadwell
  assert_int_equal(flop_events_find(&cpu, events), 4);
  assert_true(events[3].config == 0x20c7 && events[3].flops == 8);
}

static void what_nobody_looked_up_is_not_known(void **state) {
  (void)state;
  const cpu_identity unknown[] = {
      identify("GenuineIntel", 6, 0x3c),  // Haswell, which has no such events
      identify("GenuineIntel", 6, 0x97),  // Alder Lake, of two kinds of cores
      identify("GenuineIntel", 15, 0x4f), // a Pentium 4
      identify("GenuineIntel", 6, 0x18f), // no such model
      identify("HygonGenuine", 0x18, 0),  //
      identify("", 0, 0),                 // no x86
  };
  flop_event events[FLOP_EVENT_LIMIT];
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
    assert_int_equal(flop_events_find(&unknown[i], events), 0);
}

//===- Counting ------------------------------------------------------------------------------===//

// What comes of `runs` runs in each pass on a kernel with `events`.
static json_t *count(const fake_event *events, int error, const cpu_identity *cpu,
                     size_t expected_passes, uint64_t runs) {
  counters c;
  json_t *object;
  kernel.events = events;
  kernel.error = error;
  kernel.asked = 0;
  counters_open(&c, cpu);
  assert_int_equal(counters_pass_count(&c), expected_passes);
  tune_status early = counters_to_json(&c, &object);
  assert_int_equal(tune_status_get_code(early), TUNE_FAILED_PRECONDITION);
  tune_status_free(early);
  for (size_t pass = 0; pass < expected_passes; ++pass) {
    counters_start(&c, pass);
    counters_stop(&c, pass, runs);
  }
  assert_ok(counters_to_json(&c, &object));
  counters_close(&c);
  return object;
}

static double number(const json_t *object, const char *name) {
  assert_true(json_is_real(json_object_get(object, name)));
  return json_number_value(json_object_get(object, name));
}

static const char *missing_of(const json_t *object) {
  return json_string_value(json_object_get(object, "missing"));
}

// The lanes of an instruction are its weight, and the mean is of one run.
static void operations_are_weighted_sums(void **state) {
  (void)state;
  static const fake_event events[] = {HARDWARE(CPU_CYCLES, 4000),
                                      HARDWARE(INSTRUCTIONS, 8000),
                                      HARDWARE(CACHE_MISSES, 12),
                                      HARDWARE(BRANCH_MISSES, 0),
                                      PAGE_FAULTS(2),
                                      {PERF_TYPE_RAW, 0x03c7, 1, 100, 100, 0},
                                      {PERF_TYPE_RAW, 0x04c7, 10, 100, 100, 0},
                                      {PERF_TYPE_RAW, 0x18c7, 100, 100, 100, 0},
                                      {PERF_TYPE_RAW, 0x60c7, 1000, 100, 100, 0},
                                      {PERF_TYPE_RAW, 0x80c7, 10000, 100, 100, 0},
                                      END};
  cpu_identity cpu = identify("GenuineIntel", 6, 0x8f);
  json_t *object = count(events, ENOENT, &cpu, 3, 4);
  assert_int_equal(kernel.asked, 10);
  assert_true(number(object, "cycles") == 1000);
  assert_true(number(object, "instructions") == 2000);
  assert_true(number(object, "cache_misses") == 3);
  assert_true(number(object, "branch_misses") == 0);
  assert_true(number(object, "page_faults") == 0.5);
  assert_true(number(object, "flops") == (1 + 20 + 400 + 8000 + 160000) / 4.0);
  assert_true(number(object, "context_switches") >= 0);
  assert_null(missing_of(object));
  json_decref(object);
}

// An event that had its counter for a part of the time stands for all of it; one that never had
// one is not known, and neither is a sum that lacks a part.
static void turns_of_events_are_scaled(void **state) {
  (void)state;
  fake_event events[] = {HARDWARE(CPU_CYCLES, 100),
                         HARDWARE(INSTRUCTIONS, 500),
                         HARDWARE(CACHE_MISSES, 1),
                         HARDWARE(BRANCH_MISSES, 0),
                         PAGE_FAULTS(0),
                         {PERF_TYPE_RAW, 0x1f03, 300, 1000, 250, 0},
                         END};
  events[1].enabled = 400;
  events[3].running = 0;
  cpu_identity cpu = identify("AuthenticAMD", 0x19, 0x11);
  json_t *object = count(events, ENOENT, &cpu, 2, 1);
  assert_true(number(object, "instructions") == 2000);
  assert_true(number(object, "flops") == 1200);
  assert_true(json_is_null(json_object_get(object, "branch_misses")));
  assert_string_equal(missing_of(object), "no counter was free");
  json_decref(object);

  fake_event part[] = {{PERF_TYPE_RAW, 0x03c7, 1, 100, 100, 0},
                       {PERF_TYPE_RAW, 0x04c7, 1, 100, 100, EINVAL},
                       {PERF_TYPE_RAW, 0x18c7, 1, 100, 100, 0},
                       {PERF_TYPE_RAW, 0x20c7, 1, 100, 100, 0},
                       PAGE_FAULTS(0),
                       END};
  cpu = identify("GenuineIntel", 6, 0x4f);
  object = count(part, EACCES, &cpu, 2, 1);
  assert_true(json_is_null(json_object_get(object, "flops")));
  assert_non_null(strstr(missing_of(object), "perf_event_paranoid"));
  assert_non_null(strstr(missing_of(object), strerror(EINVAL)));
  json_decref(object);
}

// Why there are none is said once, however many it holds for; what needs no counter is there.
static void what_is_refused_is_said_once(void **state) {
  (void)state;
  static const struct {
    int error;
    const char *why;
  } refusals[] = {
      {EACCES, "the kernel does not let users have the processor's counters; "
               "/proc/sys/kernel/perf_event_paranoid of 2 or less does"},
      {ENOENT, "this machine has no counters of the processor; most virtual machines have none"},
  };
  static const fake_event events[] = {PAGE_FAULTS(6), END};
  cpu_identity cpu = identify("AuthenticAMD", 0x19, 0x11);
  for (size_t i = 0; i < 2; ++i) {
    json_t *object = count(events, refusals[i].error, &cpu, 1, 2);
    assert_string_equal(missing_of(object), refusals[i].why);
    assert_true(json_is_null(json_object_get(object, "cycles")));
    assert_true(json_is_null(json_object_get(object, "flops")));
    assert_true(number(object, "page_faults") == 3);
    json_decref(object);
  }
}

static void unknown_processors_are_named(void **state) {
  (void)state;
  static const fake_event events[] = {HARDWARE(CPU_CYCLES, 100),
                                      HARDWARE(INSTRUCTIONS, 500),
                                      HARDWARE(CACHE_MISSES, 1),
                                      HARDWARE(BRANCH_MISSES, 0),
                                      PAGE_FAULTS(0),
                                      END};
  cpu_identity cpu = identify("GenuineIntel", 6, 151);
  json_t *object = count(events, ENOENT, &cpu, 1, 1);
  assert_int_equal(kernel.asked, 5);
  assert_string_equal(missing_of(object),
                      "what counts FLOPs is not known of GenuineIntel family 6 model 151");
  json_decref(object);
  cpu = identify("", 0, 0);
  object = count(events, ENOENT, &cpu, 1, 1);
  assert_string_equal(missing_of(object), "what counts FLOPs is not known of this processor");
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processors_are_read_off_cpuid),
      cmocka_unit_test(amd_counts_operations),
      cmocka_unit_test(intel_counts_instructions_of_each_width),
      cmocka_unit_test(what_nobody_looked_up_is_not_known),
      cmocka_unit_test(operations_are_weighted_sums),
      cmocka_unit_test(turns_of_events_are_scaled),
      cmocka_unit_test(what_is_refused_is_said_once),
      cmocka_unit_test(unknown_processors_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
