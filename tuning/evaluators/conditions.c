//===- conditions.c -----------------------------------------------------------===//

#include "tuning/evaluators/conditions.h"

#include "support/clock.h"
#include "support/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LOOK_SECONDS 0.1
// A share of a measuring CPU, and of all CPUs, from which others disturb.
#define OWN_BUSY 0.1
#define ALL_BUSY 0.5
#define STOLEN 0.01
// The CPUs, and the share of all, that others may keep busy meanwhile; and how long it has to be
// for that to be told, as clocks of CPU time are coarse.
#define COMPANY_CPUS 0.25
#define COMPANY_SHARE 0.05
#define COMPANY_SECONDS 2.0

//===- Reading ----------------------------------------------------------------===//

static bool measures(const tune_cores *cores, int cpu) {
  for (size_t i = 0; i < cores->measure_count; ++i)
    if (cores->measure[i] == cpu)
      return true;
  return false;
}

// Of a line of /proc/stat.
static void add_line(const tune_cores *cores, const char *line, tune_conditions *conditions) {
  int cpu = -1, at = 0;
  double user, nice, system, idle, wait, hard, soft, stolen;
  if (line[3] == ' ' || sscanf(line, "cpu%d%n", &cpu, &at) != 1)
    return; // the sum of all
  if (sscanf(line + at, "%lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait,
             &hard, &soft, &stolen) != 8)
    return;
  double tick = 1 / (double)sysconf(_SC_CLK_TCK);
  double busy = (user + nice + system + hard + soft) * tick;
  double total = busy + (idle + wait + stolen) * tick;
  conditions->has_counters = true;
  ++conditions->cpu_count;
  conditions->all_busy += busy;
  conditions->all_total += total;
  if (!measures(cores, cpu))
    return;
  conditions->own_busy += busy;
  conditions->own_total += total;
  conditions->own_stolen += stolen * tick;
}

static void read_counters(const tune_cores *cores, tune_conditions *conditions) {
  FILE *file = fopen("/proc/stat", "re");
  if (!file)
    return;
  char line[512];
  while (fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0)
    add_line(cores, line, conditions);
  fclose(file);
}

static void read_governor(const tune_cores *cores, tune_conditions *conditions) {
  for (size_t i = 0; i < cores->measure_count; ++i) {
    char path[96], governor[sizeof conditions->governor] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
             cores->measure[i]);
    FILE *file = fopen(path, "re");
    if (!file)
      return;
    if (fscanf(file, "%31s", governor) != 1)
      governor[0] = '\0';
    fclose(file);
    bool differs = i > 0 && strcmp(governor, conditions->governor) != 0;
    strcpy(conditions->governor, differs ? "mixed" : governor);
    if (differs)
      return;
  }
}

static double seconds_of(const struct timeval *time) {
  return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static double read_program_seconds(void) {
  double seconds = 0;
  struct rusage usage;
  const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
  for (size_t i = 0; i < 2; ++i)
    if (getrusage(whose[i], &usage) == 0)
      seconds += seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
  return seconds;
}

void tune_conditions_read(const tune_cores *cores, tune_conditions *out_conditions) {
  *out_conditions = (tune_conditions){.program_seconds = read_program_seconds(), .others_busy = -1};
  if (getloadavg(&out_conditions->load, 1) != 1)
    out_conditions->load = -1;
  read_counters(cores, out_conditions);
  read_governor(cores, out_conditions);
}

//===- Looking ----------------------------------------------------------------===//

static double to_hundredths(double value) { return round(100 * value) / 100; }

static double share(double before, double after, double total_before, double total_after) {
  double total = total_after - total_before;
  return total > 0 ? (after - before) / total : 0;
}

void tune_conditions_find_others(const tune_conditions *before, const tune_conditions *after,
                                 size_t measuring, json_t *warnings) {
  if (!before->has_counters || !after->has_counters)
    return;
  double own = share(before->own_busy, after->own_busy, before->own_total, after->own_total);
  double all = share(before->all_busy, after->all_busy, before->all_total, after->all_total);
  if (own > OWN_BUSY || all > ALL_BUSY)
    tune_json_append_text(
        warnings,
        "other programs kept %.1f of %zu CPUs busy just before the measurement (%.0f %% of %s "
        "that it runs on); stop them and run again",
        all * (double)after->cpu_count, after->cpu_count, 100 * own,
        measuring == 1 ? "the one" : "those");
}

static void warn_of_governor(const tune_conditions *conditions, json_t *warnings) {
  if (conditions->governor[0] && strcmp(conditions->governor, "performance") != 0)
    tune_json_append_text(
        warnings,
        "the clock rate changes with the load (governor '%s'); 'cpupower frequency-set -g "
        "performance' holds it",
        conditions->governor);
}

void tune_conditions_look_around(const tune_cores *cores, tune_conditions *out_conditions,
                                 json_t *warnings) {
  tune_conditions before;
  tune_conditions_read(cores, &before);
  tune_clock_sleep(LOOK_SECONDS);
  tune_conditions_read(cores, out_conditions);
  tune_conditions_find_others(&before, out_conditions, cores->measure_count, warnings);
  if (before.has_counters && out_conditions->has_counters)
    out_conditions->others_busy = to_hundredths(share(before.all_busy, out_conditions->all_busy,
                                                      before.all_total, out_conditions->all_total) *
                                                (double)out_conditions->cpu_count);
  warn_of_governor(out_conditions, warnings);
}

void tune_conditions_find_stolen(const tune_conditions *before, const tune_conditions *after,
                                 json_t *warnings) {
  if (!before->has_counters || !after->has_counters)
    return;
  double stolen = share(before->own_stolen, after->own_stolen, before->own_total, after->own_total);
  if (stolen > STOLEN)
    tune_json_append_text(warnings, "the hypervisor gave %.0f %% of the time to other machines",
                          100 * stolen);
}

void tune_conditions_find_company(const tune_conditions *before, const tune_conditions *after,
                                  json_t *warnings) {
  if (!before->has_counters || !after->has_counters)
    return;
  double cpus = (double)after->cpu_count;
  double seconds = (after->all_total - before->all_total) / cpus;
  double others =
      after->all_busy - before->all_busy - (after->program_seconds - before->program_seconds);
  if (seconds < COMPANY_SECONDS || others < COMPANY_CPUS * seconds ||
      others < COMPANY_SHARE * cpus * seconds)
    return;
  tune_json_append_text(warnings, "other programs kept %.1f of %.0f CPUs busy meanwhile",
                        others / seconds, cpus);
}

//===- Telling ----------------------------------------------------------------===//

// "3", "0-3,6": as far as they fit, with `separator` between.
static void append_cpus(const tune_cores *cores, const char *separator, tune_string_builder *text) {
  for (size_t i = 0, end; i < cores->measure_count; i = end) {
    for (end = i + 1; end < cores->measure_count; ++end)
      if (cores->measure[end] != cores->measure[end - 1] + 1)
        break;
    tune_string_builder_appendf(text, "%s%d", i ? separator : "", cores->measure[i]);
    if (end > i + 1)
      tune_string_builder_appendf(text, "-%d", cores->measure[end - 1]);
  }
}

// Those that do not fit are left out, which takes more than a hundred CPUs apart from each other.
static void copy_cpus(const char *list, char out_cpus[TUNE_CONDITIONS_CPUS_SIZE]) {
  size_t length = strlen(list);
  if (length >= TUNE_CONDITIONS_CPUS_SIZE)
    for (length = TUNE_CONDITIONS_CPUS_SIZE - 1; list[length] != ','; --length)
      ;
  memcpy(out_cpus, list, length);
  out_cpus[length] = '\0';
}

void tune_conditions_keep(const tune_conditions *before, const tune_conditions *now,
                          const tune_cores *cores, tune_kept_conditions *out_kept) {
  *out_kept = (tune_kept_conditions){.load = now->load >= 0 ? to_hundredths(now->load) : -1,
                                     .others_busy = before->others_busy,
                                     .cpu_count = (int64_t)now->cpu_count,
                                     .stolen = -1};
  tune_string_builder cpus;
  tune_string_builder_init(&cpus);
  append_cpus(cores, ",", &cpus);
  out_kept->is_known = cpus.text && !cpus.failed;
  if (out_kept->is_known)
    copy_cpus(cpus.text, out_kept->cpus);
  tune_string_builder_deinit(&cpus);
  strcpy(out_kept->governor, now->governor);
  if (before->has_counters && now->has_counters)
    out_kept->stolen = to_hundredths(
        fmin(share(before->own_stolen, now->own_stolen, before->own_total, now->own_total), 1));
  // What nobody could read again is not kept.
  tune_status status = tune_kept_conditions_validate(out_kept);
  out_kept->is_known = out_kept->is_known && tune_status_is_ok(status);
  tune_status_free(status);
}

void tune_conditions_append(const tune_conditions *conditions, const tune_cores *cores,
                            tune_string_builder *text) {
  tune_string_builder_append(text, cores->measure_count == 1 ? "CPU " : "CPUs ");
  append_cpus(cores, ", ", text);
  tune_string_builder_appendf(text, ", governor %s",
                              conditions->governor[0] ? conditions->governor : "not known");
  if (conditions->load >= 0)
    tune_string_builder_appendf(text, ", load %.2f", conditions->load);
}

static json_t *load_to_json(double load) {
  return load >= 0 ? json_real(to_hundredths(load)) : json_null();
}

json_t *tune_conditions_to_json(const tune_conditions *before, const tune_conditions *after,
                                const tune_cores *cores) {
  return json_pack("{so ss? s[oo]}", "cpus",
                   tune_cores_list_to_json(cores->measure, cores->measure_count), "governor",
                   before->governor[0] ? before->governor : NULL, "load",
                   load_to_json(before->load), load_to_json(after->load));
}
