//===- fingerprint.h - The fingerprint of a target ---------------------------===//
//
// What decides how fast code runs on a target, and so what a record is valid for: model,
// instruction sets, caches, cores. Its digest is part of each record's identity. Rules read
// register counts and cache sizes from it.
//
// As JSON (sizes in bytes, widths in bits):
//
//     {"target": "cpu", "vendor": "AuthenticAMD", "model": "AMD EPYC", "family": 25,
//      "model_number": 17, "stepping": 1, "features": ["avx", "avx2", …],
//      "caches": [{"level": 1, "bytes": 32768, "line": 64, "cores": 1}, …], "cores": 2,
//      "vector_bits": 512, "vector_registers": 32, "has_fma": true, "has_bf16_dot": true,
//      "has_int8_dot": true}
//
// or, of a GPU (or of software that stands in for one), without what only a CPU has:
//
//     {"target": "vulkan", "vendor": "Mesa", "model": "llvmpipe (LLVM 15.0.6, 256 bits)",
//      "features": ["float16", "int8", …], "driver": "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)",
//      "driver_version": "0.0.1", "api": "1.3.230", "device_type": "cpu", "host": "AMD EPYC",
//      "subgroup_size": 8, "subgroup_operations": ["basic", "vote", …], "shared_bytes": 32768,
//      "group_invocations": 1024, "group_size": [1024, 1024, 1024],
//      "group_count": [65535, 65535, 65535], "storage_buffer_bytes": 134217728,
//      "texel_buffer_elements": 134217728, "push_constant_bytes": 128, "bindings": 32,
//      "memory_bytes": 17179869184, "timestamp_period_ns": 1.0, "loop_limit": 65535}
//
// One of a CPU that is named and need not be here (formats/cpu_models.h) has beside these "cpu", as
// LLVM calls it, and "triple"; its cores are not known, and 0.
//
// "host" is there only where the device type is cpu, "loop_limit" only where there is one, and
// "cooperative_matrices": ["16x16x16 f16 f32", …] only where there are such.
//
// One of CUDA has, in the place of "texel_buffer_elements" and what follows it:
//
//     {"target": "cuda", "vendor": "NVIDIA", "model": "NVIDIA H100 80GB HBM3", …,
//      "driver": "CUDA 13.0", "driver_version": "580.65.06", "api": "13.0",
//      "device_type": "discrete", …, "storage_buffer_bytes": 84825604096,
//      "memory_bytes": 84825604096, "arch": "sm_90", "multiprocessors": 132,
//      "shared_bytes_most": 232448, "shared_bytes_multiprocessor": 233472,
//      "group_registers": 65536, "multiprocessor_registers": 65536,
//      "multiprocessor_invocations": 2048, "l2_bytes": 52428800, "clock_mhz": 1980,
//      "memory_clock_mhz": 2619, "memory_bus_bits": 5120}
//
// and that of any device of an architecture lacks what they do not have in common.
//
// Who makes one (targets/fingerprint.h) says all that its target's table has. One that is read may
// lack any of it, as those of tests and of other versions do.
//
// Ownership: members.h; texts that were made for one are its own, in `made`. Threads: immutable
// once made.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_FINGERPRINT_H
#define TUNE_FORMATS_FINGERPRINT_H

#include "formats/members.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_cache {
  int64_t level; // of data: 1 is the nearest to the core
  int64_t bytes;
  int64_t line;
  int64_t cores; // that share it
} tune_cache;

typedef struct tune_cache_list {
  tune_cache *items;
  size_t count;
} tune_cache_list;

// What a GPU has and a CPU has not. A number that was read is -1 where nothing was said of it.
typedef struct tune_gpu {
  // NULL where the device is any of its architecture:
  const char *driver;         // its name, and what it says of its version
  const char *driver_version; // as numbers
  const char *api;            // "1.3.230"
  const char *device_type;    // "discrete", "integrated", "virtual", "cpu", "other"
  const char *host;           // the CPU's model, where the device is one, else NULL
  int64_t subgroup_size;
  tune_text_list subgroup_operations; // that compute kernels may use
  int64_t shared_bytes;               // of a group; on cuda of one that does not ask for more
  int64_t group_invocations;          // at most
  int64_t group_size[3];              // at most, each
  int64_t group_count[3];
  int64_t storage_buffer_bytes; // of one binding; on cuda 0 where it is not known, as the next one
  int64_t memory_bytes; // in whole GiB, if there is one: what systems report varies a little
  // Of vulkan alone.
  int64_t texel_buffer_elements; // of one binding
  int64_t push_constant_bytes;
  int64_t bindings;           // storage buffers of one kernel
  double timestamp_period_ns; // 0: it takes no time itself
  int64_t loop_limit; // iterations after which an invocation stops silently; 0: there is none
  tune_text_list cooperative_matrices; // "16x16x16 f16 f32": rows, columns and depth, what is
                                       // multiplied, and the sum
  // Of cuda alone; 0 where it is not known.
  const char *arch; // "sm_90"
  int64_t multiprocessors;
  int64_t shared_bytes_most; // of a group that asks for it
  int64_t shared_bytes_multiprocessor;
  int64_t group_registers; // of 32 bits, as those of a multiprocessor
  int64_t multiprocessor_registers;
  int64_t multiprocessor_invocations;
  int64_t l2_bytes;
  int64_t clock_mhz, memory_clock_mhz; // at most
  int64_t memory_bus_bits;
} tune_gpu;

typedef struct tune_fingerprint {
  const char *target; // "cpu", "null", "vulkan", "cuda"
  const char *vendor; // as the CPU says
  const char *model;
  tune_text_list features; // sorted; those that generated code can make use of, as Linux names them
  // Of a CPU alone.
  int64_t family, model_number, stepping;
  tune_cache_list caches;   // nearest first
  int64_t cores;            // hardware threads of the machine; 0: not known
  int64_t vector_bits;      // of the widest vectors of f32
  int64_t vector_registers; // of that width
  bool has_fma;             // fused multiply-add of f32 and f64 vectors
  bool has_bf16_dot;        // avx512_bf16: pairs of bf16 into f32
  bool has_int8_dot;        // avx512_vnni: quadruples of u8 x i8 into i32
  const char *cpu, *triple; // for LLVM, of a CPU that is named; NULL of one that was looked at
  tune_gpu gpu;             // unused of a CPU
  tune_text_list made;      // texts of the above that are its own
} tune_fingerprint;

// The members are those of `target`; where a fingerprint that is read names none, those of vulkan.
TUNE_FORMAT_DECLARE(tune_fingerprint)

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_FINGERPRINT_H
