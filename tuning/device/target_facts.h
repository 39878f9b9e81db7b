//===- target_facts.h - Facts of the target that passes work for -------------===//
//
// Rules want register counts and cache sizes, records want to be told apart by what they
// were measured on, tables want the share of the peak. All that comes from a target
// (targets/), which passes do not link: they ask tune-measure for it, once, in some
// milliseconds. The target "null" has fixed facts and needs no program.
//
// Figures of the roofline take half a second to measure. They are kept in the database, beside
// the fingerprint, and measured again, most often quickly, while they are not to be trusted
// (kept_roofline.h).
//
// Threads: one thread at a time while it is made or given a roofline, and the thread has to outlive
// the call; then it may be read by many.
//
// Where no device is at hand, "vulkan:generic" has the facts of any (target_name.h), which are
// none: readers keep what they assume of such a device. Those of "cuda:generic", and of
// "cuda:sm_90" where there is no such device, are what all of the architecture have. "cpu:znver4"
// is a device of its own, wherever it is asked for: what was measured of it is no record of the CPU
// that is here, and the other way about.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DEVICE_TARGET_FACTS_H
#define TUNE_TUNING_DEVICE_TARGET_FACTS_H

#include "support/digest.h"
#include "tuning/database/database.h"
#include "tuning/device/roofline_share.h"
#include "tuning/device/target_name.h"
#include "tuning/record/task.h"

#include <jansson.h>
#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_target_facts {
  tune_target_name name;
  bool is_elsewhere;   // they are of a device that need not be here (device_file.h)
  bool flushes_cache;  // records are of runs that find nothing in the caches
  size_t threads;      // that artifacts run with; 1 where a device has its own way with them
  json_t *fingerprint; // as in formats/fingerprint.h
  json_t *roofline;    // as in targets/roofline.h; NULL until tune_target_facts_read_roofline
  const volatile sig_atomic_t *interrupted; // not 0: nobody is waited for; NULL: never
  tune_digest digest; // names the fingerprint and the threads: the fingerprint of records
} tune_target_facts;

// Asks for the fingerprint of `target` ("cpu", "vulkan:0", see target_name.h, whose errors it
// gives). UNAVAILABLE without tune-measure, and where there is no such device here, with what to
// install; NOT_FOUND lists the devices where the one that is named is not among them.
tune_status tune_target_facts_create(const char *target, size_t threads,
                                     tune_target_facts **out_facts);
// The same of a target whose fingerprint somebody has asked for: nobody is asked. NULL: of any
// device of the target, on cuda of the architecture that `target` names; the CPU and architectures
// are asked for.
tune_status tune_target_facts_create_known(const char *target, const json_t *fingerprint,
                                           size_t threads, tune_target_facts **out_facts);
// The same for those who only make code: where no device of the target is here, "vulkan" is that of
// any, and the error for "cuda" says to name an architecture.
tune_status tune_target_facts_create_for_code(const char *target, size_t threads,
                                              tune_target_facts **out_facts);
void tune_target_facts_destroy(tune_target_facts *facts);

// Makes them those of runs for which the caches are flushed, where `flushes_cache`: records of such
// go by another digest, and what they can do at best is what memory allows.
tune_status tune_target_facts_set_flush_cache(tune_target_facts *facts, bool flushes_cache);

// How many threads count where `threads` are asked for: a device has its own way with them, unless
// it is the CPU in disguise.
size_t tune_target_facts_threads(const json_t *fingerprint, size_t threads);

// The digest that records go under: of `fingerprint` (equal JSON gives equal digests, whatever the
// order of its members), the thread count and whether caches are flushed ahead of each run. The
// only place where it is made.
tune_status tune_target_facts_digest(const json_t *fingerprint, size_t threads, bool flushes_cache,
                                     tune_digest *out_digest);

// The fingerprint where code is made for devices that have it, also those of an architecture of
// CUDA; NULL for the CPU, whose code LLVM makes by what it knows itself, and for any device of
// Vulkan. Borrowed.
const json_t *tune_target_facts_device(const tune_target_facts *facts);
// FAILED_PRECONDITION where nothing can be timed: on any device; UNAVAILABLE on an architecture of
// which no device is here, and on a CPU that has what this machine lacks, with what that is.
tune_status tune_target_facts_require_device(const tune_target_facts *facts);
// "target cpu and 2 threads", "target vulkan": for messages.
#define TUNE_TARGET_FACTS_TEXT 96
const char *tune_target_facts_describe(const tune_target_facts *facts,
                                       char text[TUNE_TARGET_FACTS_TEXT]);

// What the device or CPU is called: "NVIDIA H100 80GB HBM3"; "" where it has no name. Borrowed.
const char *tune_target_facts_model(const tune_target_facts *facts);

// Makes the fingerprint known to `database`, which has to be before records are appended.
tune_status tune_target_facts_put(const tune_target_facts *facts, tune_database *database);
// Fills in the roofline: from `database` (NULL: none) where that has one to be trusted, else from
// there and measured, and then kept in it.
tune_status tune_target_facts_read_roofline(tune_target_facts *facts, tune_database *database);
// The same without a database and in a tenth of the time: each figure is looked at for a shorter
// time, and main memory is not, so that it says something about what caches hold alone.
tune_status tune_target_facts_read_quick_roofline(tune_target_facts *facts);
// Measures the roofline again, since something was faster than it allows, and keeps it in
// `database` (NULL: nowhere), as one to be confirmed.
tune_status tune_target_facts_doubt_roofline(tune_target_facts *facts, tune_database *database);

// Arithmetic at best, in flops per second of all threads, for an element type as in records
// ("f32"); 0 where it is not known: no roofline, or a type without a peak.
double tune_target_facts_peak(const tune_target_facts *facts, const char *type);
// Bytes per second at best from the nearest memory that holds `bytes`, the furthest where caches
// are flushed; 0 where it is not known.
double tune_target_facts_bandwidth(const tune_target_facts *facts, double bytes);
// What `task` takes at best, and what it is that bounds it.
tune_roofline_share tune_target_facts_find_place(const tune_target_facts *facts,
                                                 const tune_task *task);
// The share that a run of `task` in `seconds` reaches of what arithmetic and memory allow together,
// in percent; 0 where neither is known.
double tune_target_facts_percent_of_roofline(const tune_target_facts *facts, const tune_task *task,
                                             double seconds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DEVICE_TARGET_FACTS_H
