//===- client.c - Talking to tune-measure in tests ----------------------------------------===//

#include "client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

const char client_signature[] =
    "{'entry': 'tune_entry',"
    " 'arguments': [{'kind': 'tensor', 'type': 'f32', 'shape': [64, 32], 'access': 'read'},"
    "               {'kind': 'tensor', 'type': 'f32', 'shape': [64, 32], 'access': 'readwrite'},"
    "               {'kind': 'scalar', 'type': 'f32'}],"
    " 'results': [{'kind': 'tensor', 'type': 'f32', 'shape': [64, 32]}]}";

tune_process *client_start(void) {
  const char *const arguments[] = {TUNE_MEASURE, "--serve", NULL};
  tune_process_options options = {.arguments = arguments,
                                  .in = TUNE_PROCESS_PIPE,
                                  .out = TUNE_PROCESS_PIPE,
                                  .error = TUNE_PROCESS_INHERIT};
  tune_process *process;
  char *name;
  assert_ok(tune_process_start(&options, &process));
  assert_ok(tune_message_handshake(tune_process_get_stdout(process),
                                   tune_process_get_stdin(process), "test", &name));
  assert_string_equal(name, "tune-measure");
  free(name);
  return process;
}

int client_setup(void **state) {
  *state = client_start();
  return 0;
}

int client_teardown(void **state) {
  tune_process_destroy(*state);
  return 0;
}

static void send_formatted(void *server, const char *format, va_list arguments) {
  char *text;
  assert_true(vasprintf(&text, format, arguments) >= 0);
  for (char *at = text; *at; ++at)
    if (*at == '\'')
      *at = '"';
  json_error_t error;
  json_t *request = json_loads(text, 0, &error);
  if (!request)
    print_error("%s in %s\n", error.text, text);
  assert_non_null(request);
  assert_ok(tune_message_write(tune_process_get_stdin(server), request));
  json_decref(request);
  free(text);
}

void client_send(void *server, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  send_formatted(server, format, arguments);
  va_end(arguments);
}

json_t *client_receive_any(void *server) {
  json_t *reply;
  assert_ok(tune_message_read(tune_process_get_stdout(server), &reply));
  return reply;
}

json_t *client_receive(void *server) {
  json_t *reply = client_receive_any(server);
  while (json_object_get(reply, "waiting")) {
    json_decref(reply);
    reply = client_receive_any(server);
  }
  return reply;
}

json_t *client_ask(void *server, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  send_formatted(server, format, arguments);
  va_end(arguments);
  return client_receive(server);
}

void client_open(void *server, const char *reference) {
  json_t *reply = client_ask(server,
                             "{'do': 'open', 'task': 't', 'target': 'cpu', 'signature': %s,"
                             " 'reference': '" ARTIFACTS "/%s.so', 'seed': 7}",
                             client_signature, reference);
  assert_string_equal(client_text(reply, "task"), "t");
  assert_true(client_number(reply, "reference_seconds") > 0);
  json_decref(reply);
}

json_t *client_measure(void *server, const char *artifact, const char *more) {
  json_t *reply = client_ask(server,
                             "{'do': 'measure', 'ticket': 5, 'task': 't',"
                             " 'artifact': '" ARTIFACTS "/%s.so'%s}",
                             artifact, more);
  assert_true(client_number(reply, "ticket") == 5);
  return reply;
}

const char *client_text(const json_t *reply, const char *name) {
  const char *text = json_string_value(json_object_get(reply, name));
  return text ? text : "";
}

double client_number(const json_t *reply, const char *path) {
  char name[64];
  const char *dot = strchr(path, '.');
  if (dot) {
    snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
    reply = json_object_get(reply, name);
    path = dot + 1;
  }
  const json_t *number = json_object_get(reply, path);
  return json_is_number(number) ? json_number_value(number) : -1;
}

void client_assert_verdict(const json_t *reply, const char *verdict, const char *error) {
  const char *found = client_text(reply, "error");
  bool is_right = strcmp(client_text(reply, "verdict"), verdict) == 0 &&
                  (error ? strstr(found, error) != NULL : *found == '\0');
  if (!is_right) {
    char *text = json_dumps(reply, 0);
    print_error("expected %s: %s, got %s\n", verdict, error ? error : "no error", text);
    free(text);
  }
  assert_true(is_right);
}
