//===- roofline.h - The roofline of a target ---------------------------------===//
//
// Measured, not computed from data sheets: peaks of arithmetic from registers, and bandwidths of
// each level of memory, with as many threads as kernels are run with. The roofline of a kernel
// (Williams, Waterman, Patterson 2009) is the time of its flops at the peak, or of its bytes at the
// bandwidth, whichever is longer.
//
// All figures are of all threads together: GFLOP/s (a fused multiply-add is 2), GOP/s for int8,
// GB/s (1e9 bytes). 0 where the target has no such thing, or where it was not measured.
//
// As JSON, "f16" and "tf32" only where they were measured:
//
//          {"threads": 1, "peak": {"f32": 118.2, "f64": 59.1, "bf16": 236, "i8": 472},
//           "bandwidth": [{"level": "L1", "bytes": 16384, "gbytes_per_s": 230}, …,
//                         {"level": "memory", …}]}
//
// Threads: a value.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_ROOFLINE_H
#define TUNE_TARGETS_ROOFLINE_H

#include "targets/fingerprint.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_ROOFLINE_LEVELS (TUNE_CACHE_LIMIT + 1)

typedef struct tune_roofline {
  size_t threads;
  double f32, f64; // vectors of fused multiply-adds
  double bf16, i8; // dot products into f32 and i32
  double f16;      // products of matrices into f32
  double tf32;     // the same of f32, rounded to tf32
  struct {
    char name[8];        // "L1", "L2", "L3", "memory"
    double bytes;        // half of what it holds, all threads together; of memory: what was read
    double gbytes_per_s; // reading
  } levels[TUNE_ROOFLINE_LEVELS];
  size_t level_count;
} tune_roofline;

// Measures the CPU on `cpus`, one thread pinned to each; takes about half a second, or, if `quick`,
// less than a tenth: by fewer and shorter looks, and without main memory. `fingerprint` is the
// CPU's. The calling thread's affinity is as before afterwards.
tune_status tune_roofline_measure_cpu(const tune_fingerprint *fingerprint, const int *cpus,
                                      size_t cpu_count, bool quick, tune_roofline *out_roofline);

// Adds a level, of which there are TUNE_ROOFLINE_LEVELS at most.
void tune_roofline_add_level(tune_roofline *roofline, const char *name, double bytes,
                             double gbytes_per_s);

tune_status tune_roofline_to_json(const tune_roofline *roofline, json_t **out_object);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_ROOFLINE_H
