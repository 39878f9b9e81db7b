//===- target_name.h - Names of targets on the command line ------------------===//
//
// Wherever a target can be given it is a name, and for targets with devices a colon and
// what picks one of them:
//
//     cpu   cpu:x86-64-v3   null   vulkan   vulkan:0   vulkan:llvmpipe   cuda:sm_90
//
// A CPU that is named is one that LLVM knows (formats/cpu_models.h), here or not. What picks a
// device (its number, a part of its name) is up to the target (targets/target.h); the word
// "generic" is not: it stands for what every device of the kind has, so that code can be made where
// there is none. Nothing can be timed on it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DEVICE_TARGET_NAME_H
#define TUNE_TUNING_DEVICE_TARGET_NAME_H

#include "support/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// What rules and lowerings tell apart.
typedef enum tune_target_kind {
  TUNE_KIND_CPU, // and the target null, which has schedules like it
  TUNE_KIND_VULKAN,
  TUNE_KIND_CUDA,
} tune_target_kind;

typedef struct tune_target_name {
  tune_target_kind kind;
  char *target;    // "vulkan"
  char *device;    // "llvmpipe"; NULL: whichever the target takes, the CPU that is here
  bool is_generic; // any device; `device` is NULL then, or an architecture of CUDA
} tune_target_name;

// Reads `text`. NOT_FOUND for a target that does not exist, with the nearest and all there are, and
// for a CPU that LLVM does not know, with near ones; INVALID_ARGUMENT for a device of a target that
// has none, and where none follows the colon.
tune_status tune_target_name_init(tune_target_name *name, const char *text);
void tune_target_name_deinit(tune_target_name *name);

// Whether code for targets of `kind` may round what products are of, where that is allowed
// (dialects/allow.h). What others make of it is exact.
bool tune_target_rounds_operands(tune_target_kind kind);
// The kind of the target called `target`, without a device; TUNE_KIND_CPU where there is none such.
tune_target_kind tune_target_kind_of(const char *target);
// The same for a whole name, with or without a device: "cuda:0".
tune_target_kind tune_target_kind_of_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DEVICE_TARGET_NAME_H
