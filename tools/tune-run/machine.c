//===- machine.c --------------------------------------------------------------===//

#include "tools/tune-run/machine.h"

#include "support/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOK_SECONDS 0.1
// A share of a measuring CPU, and of all CPUs, from which others disturb.
#define OWN_BUSY 0.1
#define ALL_BUSY 0.5
#define STOLEN 0.01

static bool measures(const tune_cores *cores, int cpu) {
  for (size_t i = 0; i < cores->measure_count; ++i)
    if (cores->measure[i] == cpu)
      return true;
  return false;
}

machine_counters machine_read_counters(const tune_cores *cores) {
  machine_counters counters = {0};
  FILE *file = fopen("/proc/stat", "re");
  if (!file)
    return counters;
  char line[512];
  while (fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0) {
    int cpu = -1, at = 0;
    double user, nice, system, idle, wait, hard, soft, stolen;
    if (line[3] == ' ' || sscanf(line, "cpu%d%n", &cpu, &at) != 1)
      continue; // the sum of all
    if (sscanf(line + at, "%lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait,
               &hard, &soft, &stolen) != 8)
      continue;
    double busy = user + nice + system + hard + soft, total = busy + idle + wait + stolen;
    counters.are_known = true;
    ++counters.cpu_count;
    counters.all_busy += busy;
    counters.all_total += total;
    if (!measures(cores, cpu))
      continue;
    counters.own_busy += busy;
    counters.own_total += total;
    counters.own_stolen += stolen;
  }
  fclose(file);
  return counters;
}

__attribute__((format(printf, 2, 3))) static void warn(json_t *warnings, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  json_array_append_new(warnings, json_string(text));
}

static double share(double before, double after, double total_before, double total_after) {
  double total = total_after - total_before;
  return total > 0 ? (after - before) / total : 0;
}

static void look_at_load(const tune_cores *cores, json_t *warnings) {
  machine_counters before = machine_read_counters(cores);
  tune_clock_sleep(LOOK_SECONDS);
  machine_counters after = machine_read_counters(cores);
  if (!before.are_known || !after.are_known)
    return;
  double own = share(before.own_busy, after.own_busy, before.own_total, after.own_total);
  double all = share(before.all_busy, after.all_busy, before.all_total, after.all_total);
  if (own > OWN_BUSY || all > ALL_BUSY)
    warn(warnings,
         "other programs kept %.1f of %ld CPUs busy just before the measurement (%.0f %% of %s "
         "that it runs on); stop them and run again",
         all * (double)after.cpu_count, after.cpu_count, 100 * own,
         cores->measure_count == 1 ? "the one" : "those");
}

// Says it once for all CPUs.
static void look_at_governor(const tune_cores *cores, json_t *warnings) {
  for (size_t i = 0; i < cores->measure_count; ++i) {
    char path[96], governor[32] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
             cores->measure[i]);
    FILE *file = fopen(path, "re");
    if (!file)
      return;
    if (fscanf(file, "%31s", governor) != 1)
      governor[0] = '\0';
    fclose(file);
    if (!governor[0] || strcmp(governor, "performance") == 0)
      continue;
    warn(warnings,
         "CPU %d changes its clock rate with the load (governor '%s'); 'cpupower frequency-set -g "
         "performance' holds it",
         cores->measure[i], governor);
    return;
  }
}

void machine_look_around(const tune_cores *cores, json_t *warnings) {
  look_at_load(cores, warnings);
  look_at_governor(cores, warnings);
}

void machine_look_back(const tune_cores *cores, const machine_counters *before, json_t *warnings) {
  machine_counters after = machine_read_counters(cores);
  if (!before->are_known || !after.are_known)
    return;
  double stolen = share(before->own_stolen, after.own_stolen, before->own_total, after.own_total);
  if (stolen > STOLEN)
    warn(warnings, "the hypervisor gave %.0f %% of the time to other machines", 100 * stolen);
}
