//===- output.c - A file that is there whole or as it was ---------------------------===//

#include "tools/tune-worker/output.h"

#include "support/file.h"
#include "support/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct worker_output {
  char *target;          // links followed
  char *folder;          // beside the target, to be removed; NULL with a scratch folder
  tune_scratch *scratch; // one that is kept, or for what is special
  bool is_special; // no regular file: nothing can be made beside /dev/null, and what is renamed
                   // to a link to nothing takes its place
  char *partial;
};

static tune_status make_kept_folder(worker_output *output) {
  const char *slash = strrchr(output->target, '/');
  char *parent = slash ? strndup(output->target,
                                 slash == output->target ? 1 : (size_t)(slash - output->target))
                       : strdup(".");
  if (!parent)
    return tune_status_out_of_memory("making an output");
  tune_status status = tune_scratch_create_in(parent, &output->scratch);
  free(parent);
  if (tune_status_get_code(status) != TUNE_NOT_FOUND)
    return tune_status_annotate(status, "%s", output->target);
  tune_status_free(status);
  return tune_status_from_errno(ENOENT, "%s", output->target);
}

static tune_status make_folder(worker_output *output, bool is_kept) {
  if (output->is_special)
    return tune_scratch_create(&output->scratch);
  if (is_kept)
    return make_kept_folder(output);
  if (asprintf(&output->folder, "%s.XXXXXX", output->target) < 0) {
    output->folder = NULL;
    return tune_status_out_of_memory("making an output");
  }
  if (mkdtemp(output->folder))
    return TUNE_OK;
  tune_status status = tune_status_from_errno(errno, "%s", output->target);
  free(output->folder);
  output->folder = NULL;
  return status;
}

static tune_status prepare(const char *path, bool is_kept, worker_output *output) {
  struct stat info, named;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s is a folder", path);
  output->is_special = exists ? !S_ISREG(info.st_mode) : lstat(path, &named) == 0;
  output->target = exists && !output->is_special ? realpath(path, NULL) : strdup(path);
  if (!output->target)
    return tune_status_out_of_memory("making an output");
  TUNE_RETURN_IF_ERROR(make_folder(output, is_kept));
  const char *folder = output->scratch ? tune_scratch_get_path(output->scratch) : output->folder;
  if (asprintf(&output->partial, "%s/artifact", folder) >= 0)
    return TUNE_OK;
  output->partial = NULL;
  return tune_status_out_of_memory("making an output");
}

tune_status worker_output_create(const char *path, bool is_kept, worker_output **out_output) {
  *out_output = NULL;
  worker_output *output = calloc(1, sizeof *output);
  if (!output)
    return tune_status_out_of_memory("making an output");
  tune_status status = prepare(path, is_kept, output);
  if (!tune_status_is_ok(status)) {
    worker_output_destroy(output);
    return status;
  }
  *out_output = output;
  return TUNE_OK;
}

void worker_output_destroy(worker_output *output) {
  if (!output)
    return;
  // What cannot be removed cannot be helped either.
  if (output->folder)
    tune_status_free(tune_file_remove_tree(output->folder));
  tune_scratch_destroy(output->scratch);
  free(output->target);
  free(output->folder);
  free(output->partial);
  free(output);
}

const char *worker_output_path(const worker_output *output) { return output->partial; }

tune_status worker_output_commit(const worker_output *output) {
  if (!output->is_special)
    return rename(output->partial, output->target) == 0
               ? TUNE_OK
               : tune_status_from_errno(errno, "renaming to %s", output->target);
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(output->partial, &bytes, &size));
  tune_status status = tune_file_write(output->target, bytes, size);
  free(bytes);
  return status;
}
