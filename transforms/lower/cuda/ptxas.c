//===- ptxas.c - NVIDIA's assembler, where it is here ------------------------===//

#include "transforms/lower/cuda/ptxas.h"

#include "support/file.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/string_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 120
#define MESSAGE_LIMIT 65536 // bytes of what it says

struct tune_ptxas {
  char *program;
};

//===--------------------------------------------------------------------------===//
// Finding it
//===--------------------------------------------------------------------------===//

// "<folder>/ptxas" where that can be run, else NULL. `failed` is set where memory ran out.
static char *try_folder(const char *folder, size_t length, bool *failed) {
  char *path;
  if (asprintf(&path, "%.*s/ptxas", (int)length, folder) < 0) {
    *failed = true;
    return NULL;
  }
  if (access(path, X_OK) == 0)
    return path;
  free(path);
  return NULL;
}

static char *try_path(bool *failed) {
  const char *at = getenv("PATH");
  char *found = NULL;
  while (at && *at && !found && !*failed) {
    size_t length = strcspn(at, ":");
    if (length)
      found = try_folder(at, length, failed);
    at += length + (at[length] == ':');
  }
  return found;
}

static char *find(bool *failed) {
  static const char FALLBACK[] = "/usr/local/cuda/bin";
  const char *home = getenv("CUDA_HOME");
  char *found = NULL, *folder = NULL;
  if (home && *home && asprintf(&folder, "%s/bin", home) >= 0) {
    found = try_folder(folder, strlen(folder), failed);
    free(folder);
  }
  if (!found && !*failed)
    found = try_path(failed);
  if (!found && !*failed)
    found = try_folder(FALLBACK, strlen(FALLBACK), failed);
  return found;
}

tune_status tune_ptxas_refuse(void) {
  return tune_status_make(TUNE_UNAVAILABLE,
                          "no ptxas in $CUDA_HOME/bin, on the PATH or in /usr/local/cuda/bin: "
                          "install the CUDA toolkit, or `pip install nvidia-cuda-nvcc`, and set "
                          "TUNE_PTXAS to it");
}

tune_status tune_ptxas_create(tune_ptxas **out_ptxas) {
  *out_ptxas = NULL;
  const char *named = getenv("TUNE_PTXAS");
  if (named && *named && access(named, X_OK) != 0)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "TUNE_PTXAS=%s is no program that can be run; set it to that of "
                            "NVIDIA's assembler, or to nothing",
                            named);
  bool failed = false;
  char *program = named && *named ? strdup(named) : find(&failed);
  tune_ptxas *ptxas = program ? malloc(sizeof *ptxas) : NULL;
  if (ptxas) {
    ptxas->program = program;
    *out_ptxas = ptxas;
    return TUNE_OK;
  }
  if (program || failed || (named && *named)) {
    free(program);
    return tune_status_out_of_memory("looking for ptxas");
  }
  return tune_ptxas_refuse();
}

void tune_ptxas_destroy(tune_ptxas *ptxas) {
  if (!ptxas)
    return;
  free(ptxas->program);
  free(ptxas);
}

//===--------------------------------------------------------------------------===//
// Running it
//===--------------------------------------------------------------------------===//

static void raise_to(int64_t *most, long long value) {
  if (value > *most)
    *most = value;
}

// "… wgmma.mma_async instructions are serialized due to …",
// "… warpgroup.wait is injected in around line 348 by compiler to allow use of registers …",
// "… 8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads",
// "ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem, 384 bytes cmem[0]"
static void read_report(const char *text, tune_kernel_resources *report) {
  *report = (tune_kernel_resources){.serializes = strstr(text, "instructions are serialized") ||
                                                  strstr(text, "is injected in around line")};
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    size_t length = strcspn(line, "\n");
    long long number, stores;
    const char *used = strstr(line, "Used "), *frame = strstr(line, "bytes stack frame");
    if (used && used < line + length && sscanf(used, "Used %lld registers", &number) == 1) {
      raise_to(&report->registers, number);
      const char *shared = strstr(used, " bytes smem");
      while (shared && shared < line + length && shared[-1] >= '0' && shared[-1] <= '9')
        --shared;
      if (shared && shared < line + length)
        raise_to(&report->shared_bytes, atoll(shared));
    }
    if (frame && frame < line + length) {
      const char *begin = line;
      while (begin < frame && (*begin == ' ' || *begin == '\t'))
        ++begin;
      if (sscanf(begin, "%lld bytes stack frame, %lld bytes spill stores", &number, &stores) == 2) {
        raise_to(&report->stack, number);
        raise_to(&report->spilled, stores);
      }
    }
  }
}

// To its end, with what it said, which is the caller's.
static tune_status run_to_end(const tune_process_options *options, tune_process_exit *out_end,
                              char **out_said) {
  tune_process *process;
  *out_said = NULL;
  TUNE_RETURN_IF_ERROR(tune_process_start(options, &process));
  tune_status status = tune_process_wait(process, SECONDS, out_end);
  if (tune_status_is_ok(status))
    status = tune_process_get_captured(process, MESSAGE_LIMIT, out_said);
  tune_process_destroy(process);
  return status;
}

// `is_for_one`: the PTX is for this compute capability alone (.target sm_90a).
static tune_status run_program(const tune_ptxas *ptxas, const char *in, const char *out, int arch,
                               bool is_for_one, tune_jit_options told,
                               tune_kernel_resources *report) {
  char option[32], level[8], cache[16], words[64];
  snprintf(option, sizeof option, "-arch=sm_%d%s", arch, is_for_one ? "a" : "");
  const char *arguments[9] = {ptxas->program, "-v", option, in, "-o", out};
  size_t count = 6;
  if (told.opt_level) {
    snprintf(level, sizeof level, "-O%d", (int)told.opt_level);
    arguments[count++] = level;
  }
  if (told.load_cache) {
    snprintf(cache, sizeof cache, "-dlcm=%s", told.load_cache);
    arguments[count++] = cache;
  }
  tune_process_options options = {.arguments = arguments,
                                  .in = TUNE_PROCESS_DISCARD,
                                  .out = TUNE_PROCESS_CAPTURE,
                                  .error = TUNE_PROCESS_CAPTURE};
  tune_process_exit end;
  char *said = NULL;
  tune_status status = run_to_end(&options, &end, &said);
  // As tune_process_run does, which takes no report from a program that went well.
  if (tune_status_is_ok(status) && tune_process_exit_was_killed(end)) {
    free(said);
    status = run_to_end(&options, &end, &said);
  }
  if (tune_status_is_ok(status) && (end.by_signal || end.code))
    status = tune_status_make(TUNE_INVALID_ARGUMENT, "%s %s: %s", ptxas->program,
                              tune_process_exit_describe(end, words), said);
  if (tune_status_is_ok(status))
    read_report(said, report);
  free(said);
  return status;
}

static bool is_for_one(const char *text, int arch) {
  char target[32];
  snprintf(target, sizeof target, ".target sm_%da", arch);
  return strstr(text, target);
}

tune_status tune_ptxas_run(const tune_ptxas *ptxas, const char *text, size_t size, int arch,
                           tune_jit_options told, tune_kernel_resources *out_report,
                           char **out_cubin, size_t *out_size) {
  tune_scratch *scratch;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&scratch));
  char *in = NULL, *out = NULL;
  tune_status status = TUNE_OK;
  if (asprintf(&in, "%s/kernel.ptx", tune_scratch_get_path(scratch)) < 0 ||
      asprintf(&out, "%s/kernel.cubin", tune_scratch_get_path(scratch)) < 0)
    status = tune_status_out_of_memory("assembling PTX");
  if (tune_status_is_ok(status))
    status = tune_file_write(in, text, size);
  if (tune_status_is_ok(status))
    status = run_program(ptxas, in, out, arch, is_for_one(text, arch), told, out_report);
  if (tune_status_is_ok(status) && out_cubin)
    status = tune_file_read(out, out_cubin, out_size);
  free(in);
  free(out);
  tune_scratch_destroy(scratch);
  return tune_status_annotate(status, "assembling PTX");
}
