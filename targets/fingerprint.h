//===- fingerprint.h - Fingerprints in the making ----------------------------===//
//
// formats/fingerprint.h says what a fingerprint has. Targets make theirs with what is here.
//
// Threads: immutable once made.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_FINGERPRINT_H
#define TUNE_TARGETS_FINGERPRINT_H

#include "formats/fingerprint.h"
#include "support/digest.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_CACHE_LIMIT 4 // caches that are looked at

// Finds out about the CPU this process runs on. Where the system does not tell a size (caches in
// some virtual machines), a usual one stands in. UNAVAILABLE without /proc.
tune_status tune_fingerprint_of_cpu(tune_fingerprint *out_fingerprint);

// What this machine lacks to run code for the CPU of `fingerprint`: "lacks avx512f and avx512bw";
// NULL: nothing. free() it.
tune_status tune_fingerprint_find_lacking(const tune_fingerprint *fingerprint, char **out_text);

// For those who fill one in: makes a text that goes with `fingerprint`, and puts it to `*out`;
// false, and NULL there, without memory.
bool tune_fingerprint_print(tune_fingerprint *fingerprint, const char **out, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

// Of the JSON form, with sorted keys and no blanks: equal on every machine for equal fingerprints.
tune_status tune_fingerprint_digest(const tune_fingerprint *fingerprint, tune_digest *out_digest);

bool tune_fingerprint_has_feature(const tune_fingerprint *fingerprint, const char *feature);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_FINGERPRINT_H
