//===- message.c --------------------------------------------------------------===//

#include "support/message.h"

#include "support/json.h"
#include "support/utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HEADER_SIZE ((size_t)4)

static void encode_length(unsigned char header[4], size_t length) {
  for (int i = 0; i < 4; ++i)
    header[i] = (unsigned char)(length >> (8 * i));
}

static size_t decode_length(const void *header) {
  const unsigned char *bytes = header;
  return (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
}

static void wait_until(int fd, short events) {
  struct pollfd entry = {.fd = fd, .events = events};
  poll(&entry, 1, -1); // an error shows in the read or write that follows
}

//===- SIGPIPE ----------------------------------------------------------------===//
// A write to a pipe whose reader has gone raises SIGPIPE, which ends the process. A library may not
// change the process's handlers, so the signal is blocked in this thread for the time of the write
// and, if the write raised it, taken from the pending ones.

typedef struct sigpipe_guard {
  sigset_t before;
  bool was_pending;
} sigpipe_guard;

static void block_sigpipe(sigpipe_guard *guard) {
  sigset_t pipe_only, pending;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  sigpending(&pending);
  guard->was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_only, &guard->before);
}

static void unblock_sigpipe(const sigpipe_guard *guard, bool was_raised) {
  if (was_raised && !guard->was_pending) {
    sigset_t pipe_only;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    const struct timespec at_once = {0};
    while (sigtimedwait(&pipe_only, NULL, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

//===- Whole frames -----------------------------------------------------------===//

static int write_all(int fd, const char *bytes, size_t size) {
  while (size) {
    ssize_t count = write(fd, bytes, size);
    if (count >= 0) {
      bytes += count;
      size -= (size_t)count;
    } else if (errno == EAGAIN) {
      wait_until(fd, POLLOUT);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

static tune_status write_frame(int fd, const char *bytes, size_t size) {
  sigpipe_guard guard;
  block_sigpipe(&guard);
  int error = write_all(fd, bytes, size);
  unblock_sigpipe(&guard, error == EPIPE);
  if (error == EPIPE)
    return tune_status_make(TUNE_NOT_FOUND, "writing a message: the peer has gone");
  return error ? tune_status_from_errno(error, "writing a message") : TUNE_OK;
}

tune_status tune_message_write(int fd, const json_t *message) {
  // Length and text go out in one buffer, so that a message up to the pipe's size is one write(2).
  if (!json_is_object(message))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "writing a message: not a JSON object");
  size_t length = json_dumpb(message, NULL, 0, JSON_COMPACT);
  if (length == 0)
    return tune_status_out_of_memory("writing a message");
  if (length > TUNE_MESSAGE_LIMIT)
    return tune_status_make(TUNE_RESOURCE_EXHAUSTED,
                            "writing a message: %zu bytes, over the limit of %zu", length,
                            TUNE_MESSAGE_LIMIT);
  char *frame = malloc(HEADER_SIZE + length);
  if (!frame)
    return tune_status_out_of_memory("writing a message of %zu bytes", length);
  encode_length((unsigned char *)frame, length);
  tune_status status;
  if (json_dumpb(message, frame + HEADER_SIZE, length, JSON_COMPACT) != length)
    status = tune_status_out_of_memory("writing a message of %zu bytes", length);
  else
    status = write_frame(fd, frame, HEADER_SIZE + length);
  free(frame);
  return status;
}

// Reads up to `size` bytes, less only at the end of file.
static tune_status read_all(int fd, char *bytes, size_t size, size_t *out_count) {
  size_t done = 0;
  *out_count = 0;
  while (done < size) {
    ssize_t count = read(fd, bytes + done, size - done);
    if (count > 0)
      done += (size_t)count;
    else if (count == 0)
      break;
    else if (errno == EAGAIN)
      wait_until(fd, POLLIN);
    else if (errno != EINTR)
      return tune_status_from_errno(errno, "reading a message");
  }
  *out_count = done;
  return TUNE_OK;
}

static tune_status check_length(size_t length) {
  if (length <= TUNE_MESSAGE_LIMIT)
    return TUNE_OK;
  return tune_status_make(TUNE_DATA_LOSS,
                          "reading a message: a length of %zu bytes is over the limit of %zu; does "
                          "the peer print to its stdout?",
                          length, TUNE_MESSAGE_LIMIT);
}

static tune_status peer_gone(void) {
  return tune_status_make(TUNE_NOT_FOUND, "reading a message: the peer has gone");
}

static tune_status cut_short(size_t got, size_t expected) {
  return tune_status_make(TUNE_DATA_LOSS, "reading a message: ended after %zu of %zu bytes", got,
                          expected);
}

static tune_status parse(const char *bytes, size_t length, json_t **out_message) {
  json_error_t error;
  json_t *message = tune_json_load(bytes, length, &error);
  if (!message && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading a message of %zu bytes", length);
  if (!message) {
    return tune_status_make(TUNE_DATA_LOSS, "reading a message: %s at byte %d", error.text,
                            error.position);
  }
  if (!json_is_object(message)) {
    json_decref(message);
    return tune_status_make(TUNE_DATA_LOSS, "reading a message: not a JSON object");
  }
  *out_message = message;
  return TUNE_OK;
}

tune_status tune_message_read(int fd, json_t **out_message) {
  *out_message = NULL;
  char header[4];
  size_t count;
  TUNE_RETURN_IF_ERROR(read_all(fd, header, HEADER_SIZE, &count));
  if (count == 0)
    return peer_gone();
  if (count < HEADER_SIZE)
    return cut_short(count, HEADER_SIZE);
  size_t length = decode_length(header);
  TUNE_RETURN_IF_ERROR(check_length(length));
  char *bytes = malloc(length ? length : 1);
  if (!bytes)
    return tune_status_out_of_memory("reading a message of %zu bytes", length);
  tune_status status = read_all(fd, bytes, length, &count);
  if (tune_status_is_ok(status))
    status = count < length ? cut_short(HEADER_SIZE + count, HEADER_SIZE + length)
                            : parse(bytes, length, out_message);
  free(bytes);
  return status;
}

//===- Reading as bytes come ---------------------------------------------------===//

void tune_message_reader_init(tune_message_reader *reader) {
  *reader = (tune_message_reader){.bytes = NULL};
}

void tune_message_reader_deinit(tune_message_reader *reader) {
  free(reader->bytes);
  *reader = (tune_message_reader){.bytes = NULL};
}

static size_t unread(const tune_message_reader *reader) { return reader->end - reader->begin; }

// The size of the frame at the front, as far as it is known: its header's until that is there.
static size_t front_size(const tune_message_reader *reader) {
  if (unread(reader) < HEADER_SIZE)
    return HEADER_SIZE;
  return HEADER_SIZE + decode_length(reader->bytes + reader->begin);
}

// Makes room behind `end`. The buffer grows with the bytes that came, not to the length that a
// header claims: a damaged length must not cost its claim in memory.
static tune_status make_room(tune_message_reader *reader) {
  if (reader->begin) {
    memmove(reader->bytes, reader->bytes + reader->begin, unread(reader));
    reader->end -= reader->begin;
    reader->begin = 0;
  }
  if (reader->end < reader->capacity)
    return TUNE_OK;
  size_t capacity = reader->capacity ? 2 * reader->capacity : 65536;
  char *bytes = realloc(reader->bytes, capacity);
  if (!bytes)
    return tune_status_out_of_memory("reading a message");
  reader->bytes = bytes;
  reader->capacity = capacity;
  return TUNE_OK;
}

tune_status tune_message_reader_fill(tune_message_reader *reader, int fd) {
  TUNE_RETURN_IF_ERROR(make_room(reader));
  ssize_t count;
  do {
    count = read(fd, reader->bytes + reader->end, reader->capacity - reader->end);
  } while (count < 0 && errno == EINTR);
  if (count > 0)
    reader->end += (size_t)count;
  else if (count == 0)
    reader->is_at_end = true;
  else if (errno != EAGAIN)
    return tune_status_from_errno(errno, "reading a message");
  return TUNE_OK;
}

tune_status tune_message_reader_pop(tune_message_reader *reader, json_t **out_message) {
  *out_message = NULL;
  size_t size = front_size(reader);
  TUNE_RETURN_IF_ERROR(check_length(size - HEADER_SIZE));
  if (unread(reader) < HEADER_SIZE || unread(reader) < size) {
    if (!reader->is_at_end)
      return TUNE_OK;
    return unread(reader) ? cut_short(unread(reader), size) : peer_gone();
  }
  TUNE_RETURN_IF_ERROR(
      parse(reader->bytes + reader->begin + HEADER_SIZE, size - HEADER_SIZE, out_message));
  reader->begin += size;
  return TUNE_OK;
}

//===- What is said -----------------------------------------------------------===//

static tune_status check_hello(const json_t *hello, char **out_peer_name) {
  const char *name = json_string_value(json_object_get(hello, "hello"));
  const json_t *protocol = json_object_get(hello, "protocol");
  if (!name || !json_is_integer(protocol))
    return tune_status_make(TUNE_DATA_LOSS, "the peer's first message is no hello");
  json_int_t version = json_integer_value(protocol);
  if (version != TUNE_MESSAGE_PROTOCOL)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s speaks version %lld of the protocol, this program version %d: "
                            "install both from the same build",
                            name, (long long)version, TUNE_MESSAGE_PROTOCOL);
  *out_peer_name = strdup(name);
  return *out_peer_name ? TUNE_OK : tune_status_out_of_memory("greeting %s", name);
}

tune_status tune_message_handshake(int in_fd, int out_fd, const char *my_name,
                                   char **out_peer_name) {
  *out_peer_name = NULL;
  json_t *hello = json_pack("{s:s, s:i}", "hello", my_name, "protocol", TUNE_MESSAGE_PROTOCOL);
  if (!hello)
    return tune_status_out_of_memory("saying hello");
  tune_status status = tune_message_write(out_fd, hello);
  json_decref(hello);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(tune_message_read(in_fd, &hello));
  status = check_hello(hello, out_peer_name);
  json_decref(hello);
  return status;
}

// Messages quote what users and compilers wrote, which need not be UTF-8; JSON has to be.
static json_t *make_text(const char *text) {
  if (tune_utf8_is_valid(text))
    return json_string(text);
  char *ascii = strdup(text);
  if (!ascii)
    return NULL;
  for (char *c = ascii; *c; ++c)
    if ((unsigned char)*c >= 0x80)
      *c = '?';
  json_t *value = json_string(ascii);
  free(ascii);
  return value;
}

tune_status tune_message_from_status(tune_status status, json_t **out_message) {
  const char *code = tune_status_code_name(tune_status_get_code(status));
  const char *text = tune_status_get_message(status);
  // "o" takes the text also where packing fails.
  *out_message = json_pack("{s:{s:s, s:o}}", "error", "code", code, "message", make_text(text));
  return *out_message ? TUNE_OK : tune_status_out_of_memory("reporting: %s", text);
}

tune_status tune_message_get_status(const json_t *message) {
  const json_t *error = json_object_get(message, "error");
  if (!json_is_object(error))
    return TUNE_OK;
  const char *code = json_string_value(json_object_get(error, "code"));
  const char *text = json_string_value(json_object_get(error, "message"));
  if (!text)
    text = "an error without a message";
  for (int i = TUNE_INVALID_ARGUMENT; code && i <= TUNE_INTERNAL; ++i)
    if (strcmp(code, tune_status_code_name((tune_status_code)i)) == 0)
      return tune_status_make((tune_status_code)i, "%s", text);
  return tune_status_make(TUNE_INTERNAL, "%s", text);
}
