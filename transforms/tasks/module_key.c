//===- module_key.c -----------------------------------------------------------===//

#include "transforms/tasks/module_key.h"

#include <endian.h>

tune_status tune_module_key(const tune_extraction *extraction, tune_digest *out_key) {
  tune_digest_stream *stream;
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&stream));
  for (size_t i = 0; i < extraction->task_count; ++i) {
    const tune_extracted_task *task = &extraction->tasks[i];
    uint64_t count = htole64(task->occurrence_count);
    tune_digest_stream_add_text(stream, task->key.text);
    tune_digest_stream_add_bytes(stream, &count, sizeof count);
  }
  *out_key = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return TUNE_OK;
}
