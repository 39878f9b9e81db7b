//===- export_description.h - The description of an export -------------------===//
//
// The JSON at the head of a file of candidates that are to be measured elsewhere
// (tuning/remote/export_file.h); docs/protocol.md says what its members mean.
//
// Ownership: members.h. Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_EXPORT_DESCRIPTION_H
#define TUNE_FORMATS_EXPORT_DESCRIPTION_H

#include "formats/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

// One of the files behind the description.
typedef struct tune_exported_blob {
  int64_t bytes;
  const char *digest;
} tune_exported_blob;

typedef struct tune_exported_blobs {
  tune_exported_blob *items;
  size_t count;
} tune_exported_blobs;

typedef struct tune_exported_candidate {
  const json_t *config;
  const char *strategy, *seed; // a number of 64 bits without a sign
  const char *verdict, *error, *digest;
  const json_t *stages, *code; // as in records
  int64_t created_ms;
  int64_t artifact; // a blob; -1: there is none
} tune_exported_candidate;

typedef struct tune_exported_candidates {
  tune_exported_candidate *items;
  size_t count;
} tune_exported_candidates;

typedef struct tune_exported_finalists {
  double confidence;
} tune_exported_finalists;

typedef struct tune_exported_task {
  const json_t *task; // a line of database_transfer.h
  const char *schedule;
  const json_t *signature;
  int64_t reduction; // -1: it lacks one
  const char *accumulator, *operands;
  int64_t reference; // a blob
  double best;
  tune_exported_candidates candidates;
  tune_exported_finalists compare;
  bool compares;
} tune_exported_task;

typedef struct tune_exported_tasks {
  tune_exported_task *items;
  size_t count;
} tune_exported_tasks;

typedef struct tune_exported_measure {
  double precision, budget;
} tune_exported_measure;

typedef struct tune_export_description {
  const char *target;
  const json_t *device;
  const char *machine;
  tune_text_list reference_features;
  int64_t threads; // -1: it lacks them
  bool flush_cache, counters;
  int64_t seed, dynamic;
  tune_limits limits;
  double reference_seconds;
  tune_exported_measure measure;
  tune_exported_tasks tasks;
  tune_exported_blobs blobs;
} tune_export_description;

TUNE_FORMAT_DECLARE(tune_exported_blob)
TUNE_FORMAT_DECLARE(tune_exported_candidate)
TUNE_FORMAT_DECLARE(tune_exported_finalists)
TUNE_FORMAT_DECLARE(tune_exported_task)
TUNE_FORMAT_DECLARE(tune_export_description)

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_EXPORT_DESCRIPTION_H
