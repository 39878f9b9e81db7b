//===- requests.c - What a driver says, from bytes ------------------------------------===//

#include "fuzz/requests.h"

#include "fuzz/fuzz.h"
#include "support/message.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

static const char *const PATHS[] = {"output",   "artifact",       "reference",
                                    "database", "payload_source", "schedule_source"};

// Paths lead into our own folder, wherever in `value` they are, and none to anything else.
static void tame(json_t *value) {
  const char *key;
  size_t index;
  json_t *inner;
  json_object_foreach(value, key, inner) tame(inner);
  json_array_foreach(value, index, inner) tame(inner);
  for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; ++i) {
    char path[FUZZ_PATH];
    if (!json_is_string(json_object_get(value, PATHS[i])))
      continue;
    fuzz_scratch_path(PATHS[i], path);
    json_object_set_new(value, PATHS[i], json_string(path));
  }
  static const char *const LISTS[] = {"artifacts", "inputs", "outputs"};
  for (size_t l = 0; l < sizeof LISTS / sizeof *LISTS; ++l)
    json_array_foreach(json_object_get(value, LISTS[l]), index, inner) {
      char path[FUZZ_PATH];
      fuzz_scratch_path(LISTS[l], path);
      if (json_is_string(inner))
        json_string_set(inner, path);
    }
}

// As much as takes no time.
static void bound(json_t *request, const char *name, json_int_t most) {
  json_t *number = json_object_get(request, name);
  if (json_integer_value(number) > most)
    json_integer_set(number, most);
}

// What takes seconds by its nature, and is no finding.
static bool is_slow(const json_t *request) {
  const char *verb = json_string_value(json_object_get(request, "do"));
  return verb && strcmp(verb, "roofline") == 0;
}

static void put(int fd, const json_t *message) {
  fuzz_require(fuzz_accept(tune_message_write(fd, message)), "a message of a file");
}

int fuzz_requests_open(const uint8_t *data, size_t size) {
  int fd = fuzz_file(NULL, 0);
  json_t *hello = json_pack("{s:s, s:i}", "hello", "fuzz", "protocol", TUNE_MESSAGE_PROTOCOL);
  put(fd, hello);
  json_decref(hello);
  while (size > 0) {
    const uint8_t *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - data) : size;
    json_t *request = json_loadb((const char *)data, length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(request) && !is_slow(request)) {
      tame(request);
      bound(request, "trials", 10);
      put(fd, request);
    }
    json_decref(request);
    data += length + (end != NULL);
    size -= length + (end != NULL);
  }
  fuzz_require(lseek(fd, 0, SEEK_SET) == 0, "a file in memory that can be read");
  return fd;
}
