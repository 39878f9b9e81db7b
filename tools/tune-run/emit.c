//===- emit.c -----------------------------------------------------------------===//

#include "tools/tune-run/emit.h"

#include "support/file.h"
#include "support/scratch.h"
#include "support/string_builder.h"
#include "tools/common/program_files.h"
#include "tools/tune-run/c_header.h"
#include "tools/tune-run/progress.h"
#include "tools/tune-run/report.h"
#include "tools/tune-run/subject.h"
#include "tools/tune-run/subject_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "out/mm.so" gives "out/mm.h".
static tune_status name_header(const char *output, char **out_path) {
  const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
  const char *dot = strrchr(name, '.');
  size_t length = dot && dot != name ? (size_t)(dot - output) : strlen(output);
  tune_string_builder path;
  tune_string_builder_init(&path);
  tune_string_builder_append_bytes(&path, output, length);
  tune_string_builder_append(&path, ".h");
  tune_status status = tune_string_builder_finish(&path, out_path);
  if (tune_status_is_ok(status) && strcmp(*out_path, output) == 0) {
    free(*out_path);
    *out_path = NULL;
    status =
        tune_status_make(TUNE_INVALID_ARGUMENT,
                         "--output=%s is where the C header goes; take another ending", output);
  }
  return status;
}

static tune_status write_header(const run_settings *settings, const subject *s, const char *output,
                                const char *path) {
  c_header_options options = {
      .signature = s->opened.signature,
      .function = s->opened.module.function,
      .module = s->path,
      .output = output,
      .form = settings_emit_names[settings->emit],
      .threads = settings->threads,
      .packs_ahead = s->packs_ahead,
  };
  char *text;
  TUNE_RETURN_IF_ERROR(c_header_make(&options, &text));
  tune_status status = tune_file_write(path, text, strlen(text));
  free(text);
  return status;
}

static tune_status write_bytes(const char *bytes, size_t size, const char *path) {
  return tune_file_write(path, bytes, size);
}

// The worker writes into a folder of ours: what stood at the output before stays where a build
// fails, and may be no file at all (/dev/stdout).
static tune_status build_into(const run_settings *settings, tune_connection *worker, subject *s,
                              const tune_scratch *scratch) {
  bool comes_apart =
      settings->emit == EMIT_SPIRV || settings->emit == EMIT_PTX || settings->emit == EMIT_CUBIN;
  bool is_artifact =
      settings->emit == EMIT_PROGRAM || (comes_apart && settings->emit != EMIT_CUBIN);
  char *path;
  if (asprintf(&path, "%s/code", tune_scratch_get_path(scratch)) < 0)
    return tune_status_out_of_memory("writing code");
  subject_build order = {
      .of = s,
      .form = settings_emit_names[is_artifact ? EMIT_SO : settings->emit],
      .output = path,
  };
  char *bytes = NULL;
  size_t size = 0;
  tune_status status = subject_build_all(worker, &order, 1, settings->build_seconds);
  if (tune_status_is_ok(status))
    status = tune_file_read(path, &bytes, &size);
  if (tune_status_is_ok(status))
    status = (comes_apart ? tune_program_files_write : write_bytes)(bytes, size,
                                                                    settings->outputs.values[0]);
  free(bytes);
  free(path);
  return status;
}

// A NULL `header` is not written.
static tune_status build(const run_settings *settings, const tune_target_facts *facts,
                         tune_connection *worker, const char *database, const char *header) {
  tune_scratch *scratch;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&scratch));
  subject s;
  given_arrays none = {.paths = NULL};
  tune_status status =
      subject_open(worker, settings, facts, database, &none, settings->module, &s, &s);
  given_arrays_deinit(&none);
  if (tune_status_is_ok(status))
    status = build_into(settings, worker, &s, scratch);
  if (tune_status_is_ok(status) && header)
    status = write_header(settings, &s, settings->outputs.values[0], header);
  if (tune_status_is_ok(status)) {
    progress_clear();
    fprintf(stderr, "tune-run: @%s for %s: ", s.opened.module.function, settings->target);
    report_tasks(&s.opened.module.tasks, stderr);
    if (s.open_signature)
      status = subject_sizes_tell(s.open_signature, s.opened.signature);
  }
  subject_deinit(&s);
  tune_scratch_destroy(scratch);
  return status;
}

// INVALID_ARGUMENT where code for the target never has the form asked for.
static tune_status check_form(const run_settings *settings, tune_target_kind kind) {
  enum { CPU = 1 << TUNE_KIND_CPU, VULKAN = 1 << TUNE_KIND_VULKAN, CUDA = 1 << TUNE_KIND_CUDA };
  static const struct {
    size_t form;
    unsigned kinds; // that have it
    const char *why;
  } FORMS[] = {
      {EMIT_OBJ, CPU, "there is no object of a device program"},
      {EMIT_LLVM, CPU, "there is LLVM IR of what runs on a CPU alone"},
      {EMIT_PROGRAM, VULKAN | CUDA, "what runs on a CPU is a shared object: --emit=so"},
      {EMIT_SPIRV, VULKAN, "SPIR-V runs on Vulkan: --target=vulkan"},
      {EMIT_PTX, CUDA, "PTX runs on CUDA: --target=cuda:sm_90"},
      {EMIT_CUBIN, CUDA, "cubins run on CUDA: --target=cuda:sm_90"},
  };
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; ++i)
    if (FORMS[i].form == settings->emit && !(FORMS[i].kinds & 1u << kind))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "--emit=%s --target=%s: %s",
                              settings_emit_names[settings->emit], settings->target, FORMS[i].why);
  return TUNE_OK;
}

tune_status emit_run(const run_settings *settings, const tune_target_facts *facts) {
  char *header = NULL, *database = NULL;
  tune_target_kind kind = facts ? facts->name.kind : TUNE_KIND_CPU;
  TUNE_RETURN_IF_ERROR(check_form(settings, kind));
  if (kind == TUNE_KIND_CPU)
    TUNE_RETURN_IF_ERROR(name_header(settings->outputs.values[0], &header));
  tune_connection *worker = NULL;
  progress_show("building");
  tune_status status = tune_connection_open("tune-worker", &worker);
  if (tune_status_is_ok(status))
    status = settings_find_database(settings, &database);
  if (tune_status_is_ok(status))
    status = build(settings, facts, worker, database, header);
  progress_clear();
  tune_connection_close(worker);
  free(database);
  free(header);
  return status;
}
