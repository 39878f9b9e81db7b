//===- target_name.c ----------------------------------------------------------===//

#include "tuning/device/target_name.h"

#include "formats/cpu_models.h"
#include "formats/target_list.h"
#include "support/nearest.h"

#include <stdlib.h>
#include <string.h>

#define GENERIC "generic"

static const struct {
  const char *name;
  tune_target_kind kind;
} TARGETS[] = {
#define ROW(name, kind) {#name, TUNE_KIND_##kind},
    TUNE_FOR_EACH_TARGET(ROW)};

#define TARGET_COUNT (sizeof TARGETS / sizeof *TARGETS)

static size_t find(const char *target) {
  size_t index = 0;
  while (index < TARGET_COUNT && strcmp(TARGETS[index].name, target) != 0)
    ++index;
  return index;
}

bool tune_target_rounds_operands(tune_target_kind kind) {
  return kind == TUNE_KIND_CPU || kind == TUNE_KIND_CUDA;
}

tune_target_kind tune_target_kind_of(const char *target) {
  size_t index = find(target);
  return index < TARGET_COUNT ? TARGETS[index].kind : TUNE_KIND_CPU;
}

tune_target_kind tune_target_kind_of_name(const char *name) {
  size_t length = strcspn(name, ":");
  for (size_t i = 0; i < TARGET_COUNT; ++i)
    if (strlen(TARGETS[i].name) == length && strncmp(TARGETS[i].name, name, length) == 0)
      return TARGETS[i].kind;
  return TUNE_KIND_CPU;
}

static tune_status refuse_target(const char *target) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, target);
  for (size_t i = 0; i < TARGET_COUNT; ++i)
    tune_nearest_offer(&nearest, TARGETS[i].name);
  if (nearest.best)
    return tune_status_make(TUNE_NOT_FOUND, "no target '%s'; did you mean '%s'? There are %s",
                            target, nearest.best, TUNE_TARGET_NAMES);
  return tune_status_make(TUNE_NOT_FOUND, "no target '%s'; there are %s", target,
                          TUNE_TARGET_NAMES);
}

// `name` without its colon and device.
static tune_status take_device(tune_target_name *name, const char *device) {
  bool is_cpu = strcmp(name->target, "cpu") == 0;
  if (name->kind == TUNE_KIND_CPU && !is_cpu)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the target %s has no devices to choose from, so ':%s' has no meaning",
                            name->target, device);
  if (!*device)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "expected a device after '%s:', such as %s",
                            name->target,
                            is_cpu                           ? "cpu:x86-64-v3 or cpu:neoverse-v2"
                            : name->kind == TUNE_KIND_VULKAN ? "vulkan:0 or vulkan:llvmpipe"
                                                             : "cuda:0 or cuda:sm_90");
  if (is_cpu)
    TUNE_RETURN_IF_ERROR(tune_cpu_model_check(device));
  name->is_generic = !is_cpu && strcmp(device, GENERIC) == 0;
  if (name->is_generic)
    return TUNE_OK;
  name->device = strdup(device);
  return name->device ? TUNE_OK : tune_status_out_of_memory("naming a target");
}

tune_status tune_target_name_init(tune_target_name *name, const char *text) {
  const char *colon = strchr(text, ':');
  *name = (tune_target_name){.target = strndup(text, strcspn(text, ":"))};
  if (!name->target)
    return tune_status_out_of_memory("naming a target");
  size_t index = find(name->target);
  tune_status status = TUNE_OK;
  if (index == TARGET_COUNT) {
    status = refuse_target(name->target);
  } else {
    name->kind = TARGETS[index].kind;
    if (colon)
      status = take_device(name, colon + 1);
  }
  if (!tune_status_is_ok(status))
    tune_target_name_deinit(name);
  return status;
}

void tune_target_name_deinit(tune_target_name *name) {
  free(name->target);
  free(name->device);
  *name = (tune_target_name){0};
}
