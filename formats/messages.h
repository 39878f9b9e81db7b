//===- messages.h - What all messages of the two servers have ----------------===//
//
// docs/protocol.md lists the messages; support/message.h sends them. Requests say what is to be
// done (measure_requests.h, worker_requests.h), replies what came of it (measure_replies.h,
// worker_replies.h), and all of them which request they answer.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_MESSAGES_H
#define TUNE_FORMATS_MESSAGES_H

#include "formats/members.h"

#ifdef __cplusplus
extern "C" {
#endif

//===- Requests ---------------------------------------------------------------===//

// What requests ask for.
#define TUNE_DO_OPEN "open"
#define TUNE_DO_CLOSE "close"
#define TUNE_DO_CANCEL "cancel"
#define TUNE_DO_BUILD "build"             // of tune-worker
#define TUNE_DO_CANDIDATES "candidates"   // of tune-worker
#define TUNE_DO_MEASURE "measure"         // of tune-measure, as those that follow
#define TUNE_DO_COMPARE "compare"         //
#define TUNE_DO_RUN "run"                 //
#define TUNE_DO_FINGERPRINT "fingerprint" //
#define TUNE_DO_ROOFLINE "roofline"       //

// What `request` asks for, or NULL. Borrowed.
const char *tune_request_verb(const json_t *request);
// A request that asks for `verb`, and has no members beside: cancel.
tune_status tune_request_to_json(const char *verb, json_t **out_request);

// The functions of a request's format: as TUNE_FORMAT_DEFINE, but that what is written asks for
// `verb`.
#define TUNE_REQUEST_DEFINE(type, verb, table)                                                     \
  static tune_status type##_members_to_json(const type *value, json_t **out_object) {              \
    return tune_members_to_json(table, sizeof table / sizeof *table, value, out_object);           \
  }                                                                                                \
  tune_status type##_to_json(const type *value, json_t **out_object) {                             \
    return tune_request_finish(type##_members_to_json(value, out_object), verb, out_object);       \
  }                                                                                                \
  TUNE_FORMAT_DEFINE_READER(type, table)

// Makes `*request`, which was written with `status`, ask for `verb`. Where either failed it is
// NULL. Takes `status`.
tune_status tune_request_finish(tune_status status, const char *verb, json_t **request);

// Numbers of CPUs are at most that.
#define TUNE_MOST_CPU (1 << 20)

// Limits of what is run; 0: the receiver's own.
typedef struct tune_limits {
  double seconds;
  double bytes; // of address space
} tune_limits;

// The limits of one build and of one run (checking and timing an artifact) that searches and
// exports ask for, where nobody says otherwise.
#define TUNE_BUILD_SECONDS 30.0
#define TUNE_BUILD_BYTES 4e9
#define TUNE_RUN_SECONDS 30.0
#define TUNE_RUN_BYTES 8e9
// Of processes that work while something is timed, and let those go first that it waits for.
#define TUNE_BESIDE_NICENESS 10
// A reference is plain code, and may take so many times longer than a run is allowed to.
#define TUNE_REFERENCE_FACTOR 4.0
// A server's own, for a request that has no limits: one written by hand, or of somebody else's
// driver. They are not those above, which are a search's idea of what a candidate is worth; a
// server has only to end some time. In bytes they are the same.
#define TUNE_UNASKED_BUILD_SECONDS 60.0
#define TUNE_UNASKED_RUN_SECONDS 20.0
#define TUNE_UNASKED_REFERENCE_SECONDS 120.0
#define TUNE_UNASKED_COMPARE_SECONDS 120.0 // for all artifacts that are compared

enum { TUNE_LIMITS_MEMBERS = 2 };
extern const tune_member tune_limits_members[TUNE_LIMITS_MEMBERS];

//===- Replies ----------------------------------------------------------------===//

// What a reply may have beside what it is about.
typedef struct tune_reply_head {
  int64_t ticket;     // of the request; 0: none
  const char *task;   // of the request; NULL: none
  double waiting;     // above 0: this is no reply, which waits so long for others on its cores
  const char *holder; // whom it waits for: "tune-run (process 1234)"; NULL: not known
  double waited;      // so long it did so in all
  bool run_again;     // somebody had killed its child, which was started once more
} tune_reply_head;

TUNE_FORMAT_DECLARE(tune_reply_head)

// The same of a reply that says what it is about in whatever way: nothing where it is malformed.
tune_reply_head tune_reply_head_of(const json_t *reply);
// Adds them to a reply.
tune_status tune_reply_add_head(const tune_reply_head *head, json_t *reply);
// Takes `status`, of reading a reply: what is wrong with one is wrong with what came over the wire,
// DATA_LOSS, and with no argument.
tune_status tune_reply_was_read(tune_status status);
// Whether a message only says that the reply waits.
bool tune_reply_is_notice(const json_t *reply);
// Copies the ticket and the task of `request`, as they are, into its reply.
void tune_reply_echo(const json_t *request, json_t *reply);
// The same of the ticket or, where there is none, the task.
void tune_reply_echo_one(const json_t *request, json_t *reply);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_MESSAGES_H
