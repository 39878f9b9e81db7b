//===- artifact_worker.c - A tune-worker whose builds are artifacts made before ---------===//
//
// Speaks the protocol of docs/protocol.md. What it "builds" for a config is the artifact of
// unittests/tune-measure that its knob "artifact" names by its place in faulty_artifacts.h; the
// reference is GOOD.
//
//===--------------------------------------------------------------------------------===//

#include "faulty_artifacts.h"

#include "support/file.h"
#include "support/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char signature[] =
    "{\"entry\": \"tune_entry\","
    " \"arguments\": [{\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [64, 32], \"access\": "
    "\"read\"}, {\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [64, 32], \"access\": "
    "\"readwrite\"}, {\"kind\": \"scalar\", \"type\": \"f32\"}],"
    " \"results\": [{\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [64, 32]}]}";

static void check(tune_status status) {
  if (tune_status_is_ok(status))
    return;
  fprintf(stderr, "artifact_worker: %s\n", tune_status_get_message(status));
  exit(9);
}

static void answer(json_t *message) {
  check(tune_message_write(STDOUT_FILENO, message));
  json_decref(message);
}

static void build(const json_t *request) {
  const json_t *value = json_object_get(json_object_get(request, "config"), "artifact");
  const char *name = value ? faulty_artifacts[json_integer_value(value)].name : "GOOD";
  char path[1024], *bytes;
  size_t size;
  snprintf(path, sizeof path, "%s/%s.so", ARTIFACTS, name);
  check(tune_file_read(path, &bytes, &size));
  check(tune_file_write(json_string_value(json_object_get(request, "output")), bytes, size));
  free(bytes);
  answer(json_pack("{s:O, s:s, s:s, s:{s:f, s:f, s:f, s:f, s:f}}", "ticket",
                   json_object_get(request, "ticket"), "verdict", "built", "digest", name,
                   "seconds", "transform", 0.0, "lower", 0.0, "optimize", 0.0, "codegen", 0.0,
                   "link", 0.0));
}

int main(void) {
  char *peer;
  check(tune_message_handshake(STDIN_FILENO, STDOUT_FILENO, "artifact_worker", &peer));
  free(peer);
  for (;;) {
    json_t *request;
    tune_status status = tune_message_read(STDIN_FILENO, &request);
    if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
      tune_status_free(status);
      return 0;
    }
    check(status);
    const char *what = json_string_value(json_object_get(request, "do"));
    if (strcmp(what, "open") == 0)
      answer(json_pack("{s:O, s:o}", "task", json_object_get(request, "task"), "signature",
                       json_loads(signature, 0, NULL)));
    else if (strcmp(what, "build") == 0)
      build(request);
    json_decref(request);
  }
}
