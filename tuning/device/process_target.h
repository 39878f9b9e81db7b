//===- process_target.h - A target's facts, as an evaluator is told them -----===//
//
// Threads: as target_facts.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DEVICE_PROCESS_TARGET_H
#define TUNE_TUNING_DEVICE_PROCESS_TARGET_H

#include "tuning/device/target_facts.h"
#include "tuning/evaluators/process.h"

#ifdef __cplusplus
extern "C" {
#endif

// The target that `facts` are of, whose code runs on this machine. Borrowed.
tune_process_target tune_process_target_of(const tune_target_facts *facts);

// The same where code is made for another machine, which takes whichever device it has and finds
// out itself how many of the `threads` asked for count. `*out_features`, which the target borrows
// and which may be NULL, is to be freed. Errors as tune_device_file_get_cpu.
tune_status tune_process_target_of_elsewhere(const tune_target_facts *facts, size_t threads,
                                             char **out_features, tune_process_target *out_target);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DEVICE_PROCESS_TARGET_H
