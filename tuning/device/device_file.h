//===- device_file.h - A device of another machine, described in a file ------===//
//
// Code is made and records are found for a device that need not be here, nor its driver: all that
// is asked of it is its fingerprint, in a file as `tune-measure --fingerprint` prints it there, or
// as `tune-db device` does of a device that records came from.
//
// Threads: one thread at a time for each call.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DEVICE_DEVICE_FILE_H
#define TUNE_TUNING_DEVICE_DEVICE_FILE_H

#include "tuning/device/target_facts.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads the fingerprint in the file `path`: a new reference. INVALID_ARGUMENT tells the line where
// it is no JSON, what it should be where it is no fingerprint, and why where it is not there or no
// file.
tune_status tune_device_file_read(const char *path, json_t **out_fingerprint);

// The facts of `target` ("cuda") with the fingerprint in the file `path`; nobody is asked for
// anything. Also INVALID_ARGUMENT where the file is of another target, and where `target` names a
// device itself, other than by the file's architecture.
tune_status tune_device_file_get_facts(const char *path, const char *target, size_t threads,
                                       tune_target_facts **out_facts);

// What LLVM has to be told where code is made for a CPU: all NULL where that is this machine's,
// which it knows by itself, and for what is no CPU.
typedef struct tune_code_cpu {
  const char *triple, *cpu; // borrowed from the facts; NULL: this machine's triple
  char *features;           // "+avx2,+fma,…"; to be freed; NULL: those of the CPU
} tune_code_cpu;

// The same of the CPU of `facts`: its name where it has one, else "x86-64" and its features. Errors
// as tune_cpu_features_to_llvm and tune_target_facts_create.
tune_status tune_device_file_get_cpu(const tune_target_facts *facts, tune_code_cpu *out_cpu);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DEVICE_DEVICE_FILE_H
