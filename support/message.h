//===- message.h - JSON messages over file descriptors ---------------------------===//
//
// A message is a 4-byte little-endian length, then that many bytes of JSON, which is an
// object. It is what the driver and its servers (tune-worker, tune-measure) say to each
// other over pipes; docs/protocol.md lists the messages.
//
// Descriptors may be blocking or not, may be interrupted by signals, and may deliver any
// number of bytes at a time. A peer that has gone is NOT_FOUND, for the reader (end of
// file between two messages) as for the writer (EPIPE, without the SIGPIPE); a message
// that is cut, too long (over TUNE_MESSAGE_LIMIT) or not a JSON object is DATA_LOSS, after
// which the stream is of no more use. (So is one for which jansson runs out of memory: it
// does not tell that from wrong syntax.)
//
// A write blocks until the peer's pipe takes it. Two sides that both write much before
// they read can block each other for good: ask for long things one at a time.
//
// Threads: one thread at a time per descriptor and direction, and per reader.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_MESSAGE_H
#define TUNE_SUPPORT_MESSAGE_H

#include "support/status.h"

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_MESSAGE_LIMIT ((size_t)256 << 20) // bytes of JSON in one message
#define TUNE_MESSAGE_PROTOCOL 1                // the version said in the handshake

// Writes `message`, an object. RESOURCE_EXHAUSTED where it is over the limit (nothing is written).
tune_status tune_message_write(int fd, const json_t *message);
// Waits for one message and reads no byte more. The caller owns a reference to `*out_message`.
tune_status tune_message_read(int fd, json_t **out_message);

// Says {"hello": my_name, "protocol": …} on `out_fd` and reads the peer's from `in_fd`. Both sides
// do it first of all. `*out_peer_name` belongs to the caller (free()). FAILED_PRECONDITION where
// the peer speaks another version, DATA_LOSS where it says something else.
tune_status tune_message_handshake(int in_fd, int out_fd, const char *my_name,
                                   char **out_peer_name);

// A failure as a message, {"error": {"code": "not found", "message": …}}, and back. `status` is
// borrowed and is not TUNE_OK; add a "ticket" where there is one.
tune_status tune_message_from_status(tune_status status, json_t **out_message);
// The failure that `message` tells of, or TUNE_OK if it has no "error" or one that is a text (which
// then belongs to a verdict). An unknown code is INTERNAL.
tune_status tune_message_get_status(const json_t *message);

//===- Reading as bytes come, for use with poll(2) ------------------------------===//

typedef struct tune_message_reader {
  char *bytes;
  size_t capacity;
  size_t begin; // bytes[begin, end) were read and not yet popped
  size_t end;
  bool is_at_end; // the peer has closed its side
} tune_message_reader;

void tune_message_reader_init(tune_message_reader *reader);
void tune_message_reader_deinit(tune_message_reader *reader);

// Reads what `fd` has, by one read(2); call it when poll(2) reports POLLIN or POLLHUP. End of file
// is not an error here: pop reports it.
tune_status tune_message_reader_fill(tune_message_reader *reader, int fd);
// Hands over the next complete message, or NULL if more bytes are needed first. At the end of the
// stream: NOT_FOUND, or DATA_LOSS where it ended within a message. Pop until NULL after each fill.
tune_status tune_message_reader_pop(tune_message_reader *reader, json_t **out_message);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_MESSAGE_H
