//===- replies.c - What the servers answer --------------------------------------------===//
//
// Each reply of tune-worker and tune-measure, as a driver reads it; what was read is written, and
// can be read again.
//
//===--------------------------------------------------------------------------===//

#include "formats/measure_replies.h"
#include "formats/worker_replies.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

#define READ(TYPE)                                                                                 \
  static void read_##TYPE(const json_t *object) {                                                  \
    TYPE reply, again;                                                                             \
    json_t *written = NULL;                                                                        \
    if (!fuzz_accept(TYPE##_from_json(object, &reply)))                                            \
      return;                                                                                      \
    if (fuzz_accept(TYPE##_to_json(&reply, &written))) {                                           \
      fuzz_require(fuzz_accept(TYPE##_from_json(written, &again)),                                 \
                   "what was written can be read");                                                \
      TYPE##_deinit(&again);                                                                       \
      json_decref(written);                                                                        \
    }                                                                                              \
    TYPE##_deinit(&reply);                                                                         \
  }

READ(tune_open_reply)
READ(tune_measure_reply)
READ(tune_compare_reply)
READ(tune_run_reply)
READ(tune_device_reply)
READ(tune_reference_report)
READ(tune_open_source_reply)
READ(tune_build_reply)
READ(tune_candidates_reply)
READ(tune_described_task)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const READERS[])(const json_t *) = {
      read_tune_open_reply,        read_tune_measure_reply, read_tune_compare_reply,
      read_tune_run_reply,         read_tune_device_reply,  read_tune_reference_report,
      read_tune_open_source_reply, read_tune_build_reply,   read_tune_candidates_reply,
      read_tune_described_task};
  // The last byte says which of them it is.
  if (size == 0)
    return 0;
  json_t *object = json_loadb((const char *)data, size - 1, 0, NULL);
  if (object)
    READERS[data[size - 1] % (sizeof READERS / sizeof *READERS)](object);
  json_decref(object);
  return 0;
}
