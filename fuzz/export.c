//===- export.c - Candidates that were made on another machine -------------------------===//
//
// An input is the description as JSON, a line feed, and blobs, one a line. What no stranger would
// get wrong, since a program computes it, is right: the head, and the blobs' sizes and digests. The
// export is read, and measured on the target null.
//
//===--------------------------------------------------------------------------===//

#include "formats/magic.h"
#include "fuzz/fuzz.h"
#include "support/string_builder.h"
#include "tools/tune-measure/measure_file.h"
#include "tuning/remote/export_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void append_number(tune_string_builder *file, size_t number) {
  for (int i = 0; i < 4; ++i) {
    char byte = (char)(number >> 8 * i);
    tune_string_builder_append_bytes(file, &byte, 1);
  }
}

// The lines from `data` on, as the member "blobs" of a description.
static json_t *describe_blobs(const char *data, size_t size, tune_string_builder *blobs) {
  json_t *list = json_array();
  while (size > 0) {
    const char *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - data) : size;
    tune_digest digest = tune_digest_of_bytes(data, length);
    json_array_append_new(
        list, json_pack("{s:I, s:s}", "bytes", (json_int_t)length, "digest", digest.text));
    tune_string_builder_append_bytes(blobs, data, length);
    data += length + (end != NULL);
    size -= length + (end != NULL);
  }
  return list;
}

static void write_export(const char *path, const char *data, size_t size) {
  tune_string_builder file, blobs;
  tune_string_builder_init(&file);
  tune_string_builder_init(&blobs);
  const char *end = memchr(data, '\n', size);
  size_t length = end ? (size_t)(end - data) : size;
  json_t *description = json_loadb(data, length, 0, NULL);
  char *text = NULL;
  if (json_is_object(description)) {
    json_object_set_new(description, "blobs",
                        end ? describe_blobs(end + 1, size - length - 1, &blobs) : json_array());
    text = json_dumps(description, JSON_COMPACT);
  }
  const char *described = text ? text : data;
  length = text ? strlen(text) : length;
  tune_digest digest = tune_digest_of_bytes(described, length);
  tune_string_builder_append(&file, TUNE_EXPORT_MAGIC);
  append_number(&file, TUNE_EXPORT_VERSION);
  append_number(&file, length);
  tune_string_builder_append(&file, digest.text);
  tune_string_builder_append_bytes(&file, described, length);
  if (blobs.length)
    tune_string_builder_append_bytes(&file, blobs.text, blobs.length);
  FILE *stream = fopen(path, "w");
  fuzz_require(stream && fwrite(file.text, 1, file.length, stream) == file.length &&
                   fclose(stream) == 0,
               "a new file");
  free(text);
  json_decref(description);
  tune_string_builder_deinit(&blobs);
  tune_string_builder_deinit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  char path[FUZZ_PATH], results[FUZZ_PATH];
  fuzz_scratch_path("fuzz.export", path);
  fuzz_scratch_path("fuzz.results", results);
  char *text = fuzz_text(data, size);
  write_export(path, text, size);
  tune_export *exported;
  if (fuzz_accept(tune_export_read(path, &exported))) {
    tune_export_count(&exported->read);
    const char *target = exported->read.target;
    bool is_null = target && strcmp(target, "null") == 0;
    tune_export_destroy(exported);
    measure_file_options options = {.path = path, .output = results};
    if (is_null)
      fuzz_accept(measure_file(&options));
  }
  unlink(path);
  unlink(results);
  free(text);
  return 0;
}
