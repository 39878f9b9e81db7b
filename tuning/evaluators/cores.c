//===- cores.c ----------------------------------------------------------------===//

#include "tuning/evaluators/cores.h"

#include "support/file.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tune_cores_deinit(tune_cores *cores) {
  free(cores->measure);
  free(cores->build);
  *cores = (tune_cores){0};
}

static bool contains(const int *numbers, size_t count, int number) {
  for (size_t i = 0; i < count; ++i)
    if (numbers[i] == number)
      return true;
  return false;
}

tune_status tune_cores_assign(tune_cores *cores, size_t threads, const int *cpus,
                              const int *core_of, size_t count) {
  *cores = (tune_cores){0};
  if (threads < 1 || threads > count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%zu threads, expected 1 to %zu, the cores there "
                            "are",
                            threads, count);
  cores->measure = calloc(count, sizeof *cores->measure);
  cores->build = calloc(count, sizeof *cores->build);
  if (!cores->measure || !cores->build) {
    tune_cores_deinit(cores);
    return tune_status_out_of_memory("choosing cores");
  }
  for (size_t i = count - threads; i < count; ++i)
    cores->measure[cores->measure_count++] = cpus[i];
  for (size_t i = 0; i < count - threads; ++i)
    if (!contains(core_of + count - threads, threads, core_of[i]))
      cores->build[cores->build_count++] = cpus[i];
  cores->beside_count = cores->build_count;
  cores->are_shared = cores->build_count == 0;
  for (size_t i = 0; cores->are_shared && i < count; ++i)
    cores->build[cores->build_count++] = cpus[i];
  return TUNE_OK;
}

tune_status tune_cores_share(tune_cores *cores) {
  if (cores->are_shared)
    return TUNE_OK;
  size_t count = cores->build_count + cores->measure_count;
  int *grown = realloc(cores->build, count * sizeof *grown);
  if (!grown)
    return tune_status_out_of_memory("choosing cores");
  memcpy(grown + cores->build_count, cores->measure, cores->measure_count * sizeof *grown);
  cores->build = grown;
  cores->build_count = count;
  cores->are_shared = true;
  return TUNE_OK;
}

json_t *tune_cores_list_to_json(const int *cpus, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < count; ++i) {
    if (json_array_append_new(list, json_integer(cpus[i])) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

tune_status tune_cores_find_core(int cpu, int *out_core) {
  *out_core = cpu;
  char path[96], *text;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  tune_status status = tune_file_read(path, &text, NULL);
  tune_status_code code = tune_status_get_code(status);
  if (code == TUNE_OUT_OF_MEMORY || code == TUNE_RESOURCE_EXHAUSTED)
    return status;
  tune_status_free(status);
  if (text && sscanf(text, "%d", out_core) != 1)
    *out_core = cpu;
  free(text);
  return TUNE_OK;
}

tune_status tune_cores_init(tune_cores *cores, size_t threads) {
  *cores = (tune_cores){0};
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0)
    return tune_status_make(TUNE_INTERNAL, "the system does not say which cores may be used");
  int cpus[CPU_SETSIZE], core_of[CPU_SETSIZE];
  size_t count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable))
      continue;
    cpus[count] = cpu;
    TUNE_RETURN_IF_ERROR(tune_cores_find_core(cpu, &core_of[count++]));
  }
  return tune_cores_assign(cores, threads, cpus, core_of, count);
}
