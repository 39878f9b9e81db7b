//===- message_test.c -----------------------------------------------------------===//

#include "support/message.h"

#include "unittests/common/failing_malloc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct pipe_ends {
  int in, out;
} pipe_ends;

static pipe_ends make_pipe(void) {
  int fds[2];
  assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
  return (pipe_ends){fds[0], fds[1]};
}

static void write_raw(int fd, const void *bytes, size_t size) {
  assert_int_equal(write(fd, bytes, size), size);
}

static void expect(tune_status status, tune_status_code code, const char *part) {
  assert_int_equal(tune_status_get_code(status), code);
  if (!strstr(tune_status_get_message(status), part))
    fail_msg("\"%s\" is not in \"%s\"", part, tune_status_get_message(status));
  tune_status_free(status);
}

static void the_wire_format_is_length_and_json(void **state) {
  (void)state;
  pipe_ends ends = make_pipe();
  json_t *message = json_pack("{s:i}", "a", 1);
  assert_null(tune_message_write(ends.out, message));
  json_decref(message);
  char bytes[32];
  assert_int_equal(read(ends.in, bytes, sizeof bytes), 11);
  assert_memory_equal(bytes, "\7\0\0\0{\"a\":1}", 11);
  close(ends.in);
  close(ends.out);
}

static void reads_back_what_was_written(void **state) {
  (void)state;
  pipe_ends ends = make_pipe();
  json_t *message =
      json_pack("{s:f, s:s, s:I, s:n, s:[b, b]}", "pi", 0.1, "text", "h\xc3\xa9 \"q\"", "big",
                (json_int_t)INT64_MAX, "none", "flags", 1, 0);
  for (int i = 0; i < 3; ++i)
    assert_null(tune_message_write(ends.out, message));
  for (int i = 0; i < 3; ++i) {
    json_t *copy;
    assert_null(tune_message_read(ends.in, &copy));
    assert_true(json_equal(message, copy));
    json_decref(copy);
  }
  close(ends.out);
  json_t *none;
  expect(tune_message_read(ends.in, &none), TUNE_NOT_FOUND, "the peer has gone");
  assert_null(none);
  json_decref(message);
  close(ends.in);
}

typedef struct writing {
  int fd;
  json_t *message;
  tune_status status;
} writing;

static void *write_in_thread(void *context) {
  writing *job = context;
  job->status = tune_message_write(job->fd, job->message);
  close(job->fd);
  return NULL;
}

static void ignore_alarm(int number) { (void)number; }

// Much longer than a pipe, both ends non-blocking, signals all the time: partial writes and reads,
// EAGAIN and EINTR.
static void long_messages_survive_partial_transfers(void **state) {
  (void)state;
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  struct sigaction action = {.sa_handler = ignore_alarm}, before;
  sigaction(SIGALRM, &action, &before);
  size_t length = 5 << 20;
  char *text = malloc(length + 1);
  assert_non_null(text);
  for (size_t i = 0; i < length; ++i)
    text[i] = (char)('a' + i % 26);
  text[length] = '\0';
  for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
    pipe_ends ends = make_pipe();
    if (nonblocking) {
      fcntl(ends.in, F_SETFL, O_NONBLOCK);
      fcntl(ends.out, F_SETFL, O_NONBLOCK);
    }
    writing job = {.fd = ends.out, .message = json_pack("{s:s}", "text", text)};
    pthread_t thread;
    setitimer(ITIMER_REAL, &often, NULL);
    assert_int_equal(pthread_create(&thread, NULL, write_in_thread, &job), 0);
    json_t *copy;
    assert_null(tune_message_read(ends.in, &copy));
    pthread_join(thread, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_null(job.status);
    assert_true(json_equal(copy, job.message));
    json_decref(copy);
    json_decref(job.message);
    close(ends.in);
  }
  free(text);
  sigaction(SIGALRM, &before, NULL);
}

static void damage_is_data_loss(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *part;
  } cases[] = {
      {"\7\0", 2, "ended after 2 of 4"},
      {"\7\0\0\0{\"a", 7, "ended after 7 of 11"},
      {"\7\0\0\0{\"a\":1]", 11, "reading a message: "},
      {"\7\0\0\0[1,2,3]", 11, "not a JSON object"},
      {"\0\0\0\0", 4, "reading a message: "},
      {"Error: no such thing\n", 21, "print to its stdout"},
      {"\x0d\0\0\0{\"a\":1,\"a\":2}", 17, "duplicate"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pipe_ends ends = make_pipe();
    write_raw(ends.out, cases[i].bytes, cases[i].size);
    write_raw(ends.out, "", 0);
    close(ends.out);
    json_t *message;
    expect(tune_message_read(ends.in, &message), TUNE_DATA_LOSS, cases[i].part);
    assert_null(message);
    close(ends.in);

    ends = make_pipe();
    write_raw(ends.out, cases[i].bytes, cases[i].size);
    close(ends.out);
    tune_message_reader reader;
    tune_message_reader_init(&reader);
    while (!reader.is_at_end)
      assert_null(tune_message_reader_fill(&reader, ends.in));
    expect(tune_message_reader_pop(&reader, &message), TUNE_DATA_LOSS, cases[i].part);
    assert_null(message);
    tune_message_reader_deinit(&reader);
    close(ends.in);
  }
}

// A length that lies (here: 255 MiB) costs no memory before its bytes come.
static void a_claimed_length_is_not_allocated_by_the_reader(void **state) {
  (void)state;
  pipe_ends ends = make_pipe();
  write_raw(ends.out, "\0\0\xf0\x0f{", 5);
  tune_message_reader reader;
  tune_message_reader_init(&reader);
  assert_null(tune_message_reader_fill(&reader, ends.in));
  json_t *message;
  assert_null(tune_message_reader_pop(&reader, &message));
  assert_null(message);
  assert_true(reader.capacity <= 65536);
  tune_message_reader_deinit(&reader);
  close(ends.in);
  close(ends.out);
}

static void a_reader_takes_bytes_as_they_come(void **state) {
  (void)state;
  static const char stream[] = "\7\0\0\0{\"a\":1}\7\0\0\0{\"a\":2}\7\0\0\0{\"a\":3}";
  for (size_t piece = 1; piece < sizeof stream; ++piece) {
    pipe_ends ends = make_pipe();
    fcntl(ends.in, F_SETFL, O_NONBLOCK);
    tune_message_reader reader;
    tune_message_reader_init(&reader);
    int next = 1;
    for (size_t begin = 0; begin < sizeof stream - 1; begin += piece) {
      size_t left = sizeof stream - 1 - begin;
      write_raw(ends.out, stream + begin, left < piece ? left : piece);
      assert_null(tune_message_reader_fill(&reader, ends.in));
      for (json_t *message;;) {
        assert_null(tune_message_reader_pop(&reader, &message));
        if (!message)
          break;
        assert_int_equal(json_integer_value(json_object_get(message, "a")), next++);
        json_decref(message);
      }
    }
    assert_int_equal(next, 4);
    assert_null(tune_message_reader_fill(&reader, ends.in)); // nothing there: EAGAIN
    close(ends.out);
    assert_null(tune_message_reader_fill(&reader, ends.in));
    json_t *message;
    expect(tune_message_reader_pop(&reader, &message), TUNE_NOT_FOUND, "the peer has gone");
    tune_message_reader_deinit(&reader);
    close(ends.in);
  }
}

static void a_gone_reader_is_an_error_and_no_signal(void **state) {
  (void)state;
  pipe_ends ends = make_pipe();
  close(ends.in);
  json_t *message = json_object();
  for (int i = 0; i < 2; ++i)
    expect(tune_message_write(ends.out, message), TUNE_NOT_FOUND, "the peer has gone");
  // Nothing is left pending, and the signal is not blocked now.
  sigset_t set;
  sigpending(&set);
  assert_int_equal(sigismember(&set, SIGPIPE), 0);
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  assert_int_equal(sigismember(&set, SIGPIPE), 0);
  json_decref(message);
  close(ends.out);
}

static void only_objects_are_written(void **state) {
  (void)state;
  pipe_ends ends = make_pipe();
  json_t *text = json_string("x");
  expect(tune_message_write(ends.out, text), TUNE_INVALID_ARGUMENT, "not a JSON object");
  json_decref(text);
  json_t *message = json_object();
  expect(tune_message_write(-1, message), TUNE_INTERNAL, "Bad file descriptor");
  json_decref(message);
  close(ends.in);
  close(ends.out);
}

static void both_sides_say_hello(void **state) {
  (void)state;
  pipe_ends there = make_pipe(), back = make_pipe();
  json_t *hello = json_pack("{s:s, s:i}", "hello", "peer", "protocol", TUNE_MESSAGE_PROTOCOL);
  assert_null(tune_message_write(back.out, hello));
  char *name;
  assert_null(tune_message_handshake(back.in, there.out, "me", &name));
  assert_string_equal(name, "peer");
  free(name);
  json_t *mine;
  assert_null(tune_message_read(there.in, &mine));
  assert_string_equal(json_string_value(json_object_get(mine, "hello")), "me");
  json_decref(mine);

  json_object_set_new(hello, "protocol", json_integer(TUNE_MESSAGE_PROTOCOL + 1));
  assert_null(tune_message_write(back.out, hello));
  expect(tune_message_handshake(back.in, there.out, "me", &name), TUNE_FAILED_PRECONDITION,
         "peer speaks version 2");
  assert_null(name);
  json_object_del(hello, "hello");
  assert_null(tune_message_write(back.out, hello));
  expect(tune_message_handshake(back.in, there.out, "me", &name), TUNE_DATA_LOSS, "no hello");
  json_decref(hello);
  close(back.out);
  expect(tune_message_handshake(back.in, there.out, "me", &name), TUNE_NOT_FOUND, "has gone");
  close(there.in);
  close(there.out);
  close(back.in);
}

static void a_failure_crosses_the_wire(void **state) {
  (void)state;
  for (int code = TUNE_INVALID_ARGUMENT; code <= TUNE_INTERNAL; ++code) {
    tune_status status = tune_status_make((tune_status_code)code, "in.mlir:3:4: it is wrong");
    json_t *message;
    assert_null(tune_message_from_status(status, &message));
    tune_status_free(status);
    expect(tune_message_get_status(message), (tune_status_code)code, "in.mlir:3:4: it is wrong");
    json_decref(message);
  }
}

static void a_failure_need_not_be_utf8(void **state) {
  (void)state;
  tune_status status = tune_status_make(TUNE_NOT_FOUND, "no file caf\xe9");
  json_t *message;
  assert_null(tune_message_from_status(status, &message));
  tune_status_free(status);
  expect(tune_message_get_status(message), TUNE_NOT_FOUND, "no file caf?");
  json_decref(message);
}

static void an_odd_error_is_internal_and_a_verdicts_text_is_none(void **state) {
  (void)state;
  json_t *message = json_pack("{s:{s:s}}", "error", "code", "of the future");
  expect(tune_message_get_status(message), TUNE_INTERNAL, "an error without a message");
  json_decref(message);
  message = json_pack("{s:s, s:s}", "verdict", "build-failed", "error", "cannot tile");
  assert_null(tune_message_get_status(message));
  json_decref(message);
}

static void drain(int fd) {
  char rest[4096];
  while (read(fd, rest, sizeof rest) > 0) {
  }
}

static tune_status write_some(void *context) {
  pipe_ends *ends = context;
  json_t *message = json_pack("{s:s, s:[i, i, i]}", "do", "measure", "list", 1, 2, 3);
  if (!message)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "packing");
  tune_status status = tune_message_write(ends->out, message);
  json_decref(message);
  if (tune_status_is_ok(status)) {
    tune_status failure = tune_status_make(TUNE_OUT_OF_MEMORY, "caf\xe9");
    status = tune_message_from_status(failure, &message);
    tune_status_free(failure);
    if (tune_status_is_ok(status))
      json_decref(message);
  }
  drain(ends->in);
  return status;
}

static tune_status greet_oneself(void *context) {
  pipe_ends *ends = context;
  char *name;
  tune_status status = tune_message_handshake(ends->in, ends->out, "self", &name);
  if (tune_status_is_ok(status))
    free(name);
  drain(ends->in);
  return status;
}

static tune_status read_in_pieces(void *context) {
  pipe_ends *ends = context;
  tune_message_reader reader;
  tune_message_reader_init(&reader);
  write_raw(ends->out, "\7\0\0\0{\"a\":1}", 11);
  json_t *message = NULL;
  tune_status status = tune_message_reader_fill(&reader, ends->in);
  if (tune_status_is_ok(status))
    status = tune_message_reader_pop(&reader, &message);
  json_decref(message);
  tune_message_reader_deinit(&reader);
  drain(ends->in);
  return status;
}

static void running_out_of_memory_is_said(void **state) {
  (void)state;
  pipe_ends ends = make_pipe();
  fcntl(ends.in, F_SETFL, O_NONBLOCK);
  assert_true(tune_fail_each_allocation_and_json(write_some, &ends) > 10);
  assert_true(tune_fail_each_allocation(greet_oneself, &ends) == 3);
  assert_true(tune_fail_each_allocation(read_in_pieces, &ends) == 1);
  close(ends.in);
  close(ends.out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_wire_format_is_length_and_json),
      cmocka_unit_test(reads_back_what_was_written),
      cmocka_unit_test(long_messages_survive_partial_transfers),
      cmocka_unit_test(damage_is_data_loss),
      cmocka_unit_test(a_claimed_length_is_not_allocated_by_the_reader),
      cmocka_unit_test(a_reader_takes_bytes_as_they_come),
      cmocka_unit_test(a_gone_reader_is_an_error_and_no_signal),
      cmocka_unit_test(only_objects_are_written),
      cmocka_unit_test(both_sides_say_hello),
      cmocka_unit_test(a_failure_crosses_the_wire),
      cmocka_unit_test(a_failure_need_not_be_utf8),
      cmocka_unit_test(an_odd_error_is_internal_and_a_verdicts_text_is_none),
      cmocka_unit_test(running_out_of_memory_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
