//===- status.h - The outcome of a fallible function ---------------------------===//
//
// A fallible function returns tune_status: NULL (TUNE_OK) for success, else an object
// on the heap that carries a code, a message and the context added on the way up. It
// is owned by whoever received it and freed once, by tune_status_free or by handing
// it to a function that says it takes ownership.
//
// Making a status cannot fail: where memory has run out, a static object with
// TUNE_OUT_OF_MEMORY stands in, on which free and annotate do nothing.
//
// Threads: a status belongs to one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_STATUS_H
#define TUNE_SUPPORT_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_status_code {
  TUNE_STATUS_OK = 0,
  TUNE_INVALID_ARGUMENT,    // the input is wrong: say what was expected
  TUNE_NOT_FOUND,           // a name, file or record that does not exist
  TUNE_ALREADY_EXISTS,      //
  TUNE_FAILED_PRECONDITION, // right input at the wrong time, a wrong version
  TUNE_OUT_OF_MEMORY,       //
  TUNE_RESOURCE_EXHAUSTED,  // disk, descriptors, a budget; in use by somebody else
  TUNE_DEADLINE_EXCEEDED,   // took too long and was stopped
  TUNE_CANCELLED,           // the user asked to stop
  TUNE_UNAVAILABLE,         // no such device, driver or tool here: say what to install
  TUNE_DATA_LOSS,           // damaged file or message
  TUNE_INTERNAL,            // a bug, ours or upstream's
} tune_status_code;

typedef struct tune_status_object *tune_status;

#define TUNE_OK ((tune_status)0)

// Makes a failed status; `code` is not TUNE_STATUS_OK.
tune_status tune_status_make(tune_status_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same with OUT_OF_MEMORY: what was being done, "making a table".
tune_status tune_status_out_of_memory(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

// Makes a failed status from an errno value, "<formatted>: <strerror>". The code follows from
// `error`: ENOENT is NOT_FOUND, ENOMEM is OUT_OF_MEMORY, ENOSPC is RESOURCE_EXHAUSTED and so on.
tune_status tune_status_from_errno(int error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Puts "<formatted>: " before the message of `status` and returns it; TUNE_OK stays TUNE_OK.
tune_status tune_status_annotate(tune_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Gives a failed status another code, its message kept, and returns it: where the one who is told
// sees something else in the failure than the one who met it. TUNE_OK stays TUNE_OK, and
// OUT_OF_MEMORY stays that, since it is nobody's fault.
tune_status tune_status_recode(tune_status status, tune_status_code code);

void tune_status_free(tune_status status);

// If `first` failed, frees `second` and returns `first`; otherwise returns `second`. For cleaning
// up after a failure with steps that may fail too.
tune_status tune_status_join(tune_status first, tune_status second);

static inline bool tune_status_is_ok(tune_status status) { return status == TUNE_OK; }
tune_status_code tune_status_get_code(tune_status status);
// Borrowed, valid until `status` is annotated or freed. "OK" for TUNE_OK.
const char *tune_status_get_message(tune_status status);
// "not found", "unavailable", ...
const char *tune_status_code_name(tune_status_code code);

#define TUNE_RETURN_IF_ERROR(expression)                                                           \
  do {                                                                                             \
    tune_status tune_status_ = (expression);                                                       \
    if (!tune_status_is_ok(tune_status_))                                                          \
      return tune_status_;                                                                         \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_STATUS_H
