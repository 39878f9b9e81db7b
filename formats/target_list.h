//===- target_list.h - The table of targets ----------------------------------===//
//
// What runs artifacts (targets/) and what makes them (transforms/) never meet, but both go by this
// list. A new target is one line: its name, and the kind of code that it runs, as rules and
// lowerings tell it apart (tuning/device/target_name.h).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_TARGET_LIST_H
#define TUNE_FORMATS_TARGET_LIST_H

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
#define TUNE_FOR_EACH_TARGET(DO)                                                                   \
  DO(cpu, CPU)                                                                                     \
  DO(vulkan, VULKAN)                                                                               \
  DO(cuda, CUDA)                                                                                   \
  DO(null, CPU)
// clang-format on

// "cpu, vulkan, cuda, null", for messages.
#define TUNE_TARGET_WORD(name, kind) ", " #name
#define TUNE_TARGET_NAMES (&TUNE_FOR_EACH_TARGET(TUNE_TARGET_WORD)[2])

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_TARGET_LIST_H
