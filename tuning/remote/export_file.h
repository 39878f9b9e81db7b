//===- export_file.h - Candidates in one file, to be measured elsewhere ------===//
//
// What tune-measure needs to check and time candidates on a machine that has no compiler:
// artifacts, signatures, how inputs are made, a reference to compare with, and what a record
// needs that is not measured. In order, without gaps, numbers little-endian:
//
//     8 bytes   "TUNEEXPT"
//     4 bytes   version of the format
//     4 bytes   length of the description
//     32 bytes  digest of the description, in hex digits; it names the export
//     the description, JSON (docs/protocol.md has its members)
//     the blobs: references and artifacts, in the order of the description's "blobs", which has
//     the length and the digest of each
//
// So no byte of it can change or go missing unnoticed.
//
// Threads: one thread at a time per writer; an export is immutable once read.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_REMOTE_EXPORT_FILE_H
#define TUNE_TUNING_REMOTE_EXPORT_FILE_H

#include "formats/export_description.h"
#include "support/digest.h"
#include "tuning/evaluators/process.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_EXPORT_VERSION 3

//===- Writing ----------------------------------------------------------------===//

// What holds for all of an export.
typedef struct tune_export_source {
  const char *target;            // "vulkan"
  const json_t *device;          // fingerprint that the code is made for; NULL: any device
  size_t threads;                // that the code runs with
  bool flush_cache;              // ahead of each run that is timed
  bool counters;                 // what the processor does in a run is counted (target cpu)
  uint64_t seed;                 // of the inputs; below 2^63
  int64_t dynamic;               // what unknown dimensions are; 0: tune-measure decides
  double run_seconds, run_bytes; // limits of checking and timing one artifact
  double reference_seconds;      // limit of the reference
  double precision, budget;      // of the samples, as in measure.h; 0: as there
} tune_export_source;

// What candidates that are built and measured as `options` say are exported with, for the device
// `device`. All is borrowed; `dynamic` is 0.
tune_export_source tune_export_source_of(const tune_process_evaluator_options *options,
                                         const json_t *device);

typedef struct tune_export_task {
  const json_t *line;      // the task as a line of database_transfer.h
  const char *schedule;    // digest, as in records
  const json_t *signature; //
  int64_t reduction;       // see tuning/record/task.h
  const char *accumulator; // NULL: that of the output
  const char *operands;    // NULL: as they are
  const char *reference;   // path of a shared object for what measures: that CPU, or any
                           // of cpu_features.h
  double best;             // seconds of the best known so far; 0: none
} tune_export_task;

typedef struct tune_export_candidate {
  const json_t *config;         // knob names to integers
  const char *strategy;         // see tune_record
  uint64_t seed;                // of the strategy
  const tune_evaluation *build; // verdict, error, digest, seconds of the stages
  int64_t created_ms;           // when it was built, Unix time in milliseconds
  const char *artifact;         // path; NULL where it is not to be measured: it failed, or is the
                                // same as another one
} tune_export_candidate;

typedef struct tune_export_writer tune_export_writer;

// Copies what it needs of `source`.
tune_status tune_export_writer_create(const tune_export_source *source,
                                      tune_export_writer **out_writer);
void tune_export_writer_destroy(tune_export_writer *writer);
// `*out_index` is for add_candidate. Reads the reference's file; equal files are kept once.
tune_status tune_export_writer_add_task(tune_export_writer *writer, const tune_export_task *task,
                                        size_t *out_index);
tune_status tune_export_writer_add_candidate(tune_export_writer *writer, size_t task,
                                             const tune_export_candidate *candidate);
// The candidates of `task` are finalists, the first of them what the others are compared with: they
// are measured side by side, and not each by itself. `confidence` as in tune_compare_order.
tune_status tune_export_writer_set_compare(tune_export_writer *writer, size_t task,
                                           double confidence);
// How many candidates with an artifact were added.
size_t tune_export_writer_count(const tune_export_writer *writer);
// Writes the file whole (tune_file_write). RESOURCE_EXHAUSTED for a description over 4 GB.
tune_status tune_export_writer_write(const tune_export_writer *writer, const char *path);

//===- Reading ----------------------------------------------------------------===//

typedef struct tune_export {
  json_t *description;
  tune_export_description read; // the description
  tune_digest digest;           // of the description
  char *bytes;                  // the whole file
  size_t *blob_begin;           // where blob i begins; blob_count + 1 of them
  size_t blob_count;
} tune_export;

// Reads and checks all of a file. INVALID_ARGUMENT for one that is no export, FAILED_PRECONDITION
// for one of another version, DATA_LOSS for one that is cut or damaged, with what is, and what to
// do.
tune_status tune_export_read(const char *path, tune_export **out_export);
void tune_export_destroy(tune_export *exported);

// Writes blob `index` to `path`. DATA_LOSS where there is no such blob.
tune_status tune_export_extract(const tune_export *exported, int64_t index, const char *path);

// Whether something comes of a candidate by itself: it has an artifact, or it failed. What does not
// is the same as another one.
bool tune_export_has_result(const tune_exported_candidate *candidate);
// How many of these a description has, in all tasks.
size_t tune_export_count(const tune_export_description *described);

// The task of a description with this key and schedule, or NULL. Borrowed.
const json_t *tune_export_find_task(const json_t *description, const char *key,
                                    const char *schedule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_REMOTE_EXPORT_FILE_H
