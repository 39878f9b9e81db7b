//===- fingerprint.h - What a target is --------------------------------------------===//
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
// Threads: immutable once made.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_FINGERPRINT_H
#define TUNE_TARGETS_FINGERPRINT_H

#include "support/digest.h"

#include <jansson.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_CACHE_LIMIT 4

typedef struct tune_cache {
  int64_t level; // of data: 1 is the nearest to the core
  int64_t bytes;
  int64_t line;
  int64_t cores; // that share it
} tune_cache;

typedef struct tune_fingerprint {
  char *target; // "cpu", "null"
  char *vendor; // as the CPU says
  char *model;  //
  int64_t family, model_number, stepping;
  char **features; // sorted; those that generated code can make use of, as Linux names them
  size_t feature_count;
  tune_cache caches[TUNE_CACHE_LIMIT]; // nearest first
  size_t cache_count;
  int64_t cores;            // hardware threads of the machine
  int64_t vector_bits;      // of the widest vectors of f32
  int64_t vector_registers; // of that width
  bool has_fma;             // fused multiply-add of f32 and f64 vectors
  bool has_bf16_dot;        // avx512_bf16: pairs of bf16 into f32
  bool has_int8_dot;        // avx512_vnni: quadruples of u8 x i8 into i32
} tune_fingerprint;

// Finds out about the CPU this process runs on. Where the system does not tell a size (caches in
// some virtual machines), a usual one stands in. UNAVAILABLE without /proc.
tune_status tune_fingerprint_of_cpu(tune_fingerprint *out_fingerprint);
void tune_fingerprint_deinit(tune_fingerprint *fingerprint);

tune_status tune_fingerprint_to_json(const tune_fingerprint *fingerprint, json_t **out_object);

// Of the JSON form, with sorted keys and no blanks: equal on every machine for equal fingerprints.
tune_status tune_fingerprint_digest(const tune_fingerprint *fingerprint, tune_digest *out_digest);

bool tune_fingerprint_has_feature(const tune_fingerprint *fingerprint, const char *feature);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_FINGERPRINT_H
