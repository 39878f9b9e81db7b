//===- device_roofline.h - A kernel of a device's roofline, launched and timed --------===//
//
// A figure is that of the best of several windows: what else runs on a device makes it look
// slower, never faster.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_DEVICE_DEVICE_ROOFLINE_H
#define TUNE_TARGETS_DEVICE_DEVICE_ROOFLINE_H

#include "targets/device/device_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// One launch. All groups write the same few results, so that no compiler takes their work away.
typedef struct tune_device_work {
  const void *code; // borrowed
  size_t code_size;
  uint32_t opt_level; // see tune_program_module
  const char *entry;
  uint32_t groups, group_size;
  size_t result_bytes;
  size_t read_bytes; // of a second buffer, that is read; 0: there is none
  tune_program_argument_kind read_as;
  int32_t rounds; // of reading, which a third argument says; 0: there is none
} tune_device_work;

// The shortest time of one launch; `quick` looks at fewer and shorter windows.
tune_status tune_device_work_time(const tune_device_driver *driver, void *device,
                                  const tune_device_work *work, bool quick, double *out_seconds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_DEVICE_DEVICE_ROOFLINE_H
