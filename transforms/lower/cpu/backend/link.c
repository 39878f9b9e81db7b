//===- link.c - Linking an object file to a shared object --------------------===//

#include "transforms/lower/cpu/backend/link.h"

#include "support/file.h"
#include "support/process.h"
#include "transforms/lower/cpu/backend/link_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNTIME_ARCHIVE "libtune_runtime.a"
#define LINK_SECONDS 60.0
#define ROOM_BYTES 65536 // what an artifact takes beside its code, generously

struct tune_linker {
  char *program;
  char *runtime;
  char *libm;
  char *libmvec;      // glibc's vector functions, beside libm; NULL where there are none
  char *openmp;       // NULL where threads are not wanted
  char *openmp_rpath; // the option that finds it again
};

static tune_status find_linker_program(char **out_path) {
  const char *asked = getenv("TUNE_LINKER");
  if (asked && *asked)
    return tune_status_annotate(tune_process_find_program(asked, out_path), "$TUNE_LINKER");
  static const char *const NAMES[] = {"ld", "ld.gold", "ld.lld-22", "ld.lld"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    tune_status status = tune_process_find_program(NAMES[i], out_path);
    if (tune_status_is_ok(status))
      return TUNE_OK;
    tune_status_free(status);
  }
  return tune_status_make(TUNE_UNAVAILABLE,
                          "no linker on the PATH: none of ld, ld.gold, ld.lld-22, ld.lld; install "
                          "binutils or lld-22");
}

// The file that the function at `address` was loaded from.
static tune_status find_loaded_library(const void *address, const char *name, char **out_path) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return tune_status_make(TUNE_UNAVAILABLE, "this process runs without a shared %s", name);
  *out_path = realpath(info.dli_fname, NULL);
  return *out_path ? TUNE_OK : tune_status_make(TUNE_UNAVAILABLE, "no file for %s", name);
}

// Looks for `file` in the folder of `object` and in lib beside and above that folder.
static char *find_near(const char *object, const char *file) {
  static const char *const PLACES[] = {"", "/../lib", "/../lib/mlir-tune", "/../../lib"};
  const char *slash = object ? strrchr(object, '/') : NULL;
  for (size_t i = 0; slash && i < sizeof PLACES / sizeof *PLACES; ++i) {
    char *path = NULL;
    if (asprintf(&path, "%.*s%s/%s", (int)(slash - object), object, PLACES[i], file) < 0)
      return NULL;
    if (access(path, R_OK) == 0)
      return path;
    free(path);
  }
  return NULL;
}

static tune_status find_runtime(char **out_path) {
  Dl_info info;
  // ISO C has no conversion from function to object pointers; POSIX has.
  union {
    tune_status (*function)(bool, tune_linker **);
    void *address;
  } here = {.function = tune_linker_create};
  char *program = realpath("/proc/self/exe", NULL);
  char *object =
      dladdr(here.address, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
  *out_path = find_near(object, RUNTIME_ARCHIVE);
  if (!*out_path)
    *out_path = find_near(program, RUNTIME_ARCHIVE);
  tune_status status = TUNE_OK;
  if (!*out_path)
    status = tune_status_make(TUNE_UNAVAILABLE, "no %s near %s; install mlir-tune whole",
                              RUNTIME_ARCHIVE, program ? program : "this program");
  free(program);
  free(object);
  return status;
}

static tune_status find_openmp(tune_linker *linker) {
  static const char *const PATHS[] = {
      TUNE_LLVM_LIBRARY_DIR "/libomp.so.5", TUNE_LLVM_LIBRARY_DIR "/libomp.so",
      "/usr/lib/x86_64-linux-gnu/libomp.so.5", "/usr/lib/aarch64-linux-gnu/libomp.so.5"};
  for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS && !linker->openmp; ++i)
    if (access(PATHS[i], R_OK) == 0 && !(linker->openmp = strdup(PATHS[i])))
      return tune_status_out_of_memory("looking for a linker");
  if (!linker->openmp)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "no OpenMP runtime in %s; install libomp-22-dev, or use threads=1",
                            TUNE_LLVM_LIBRARY_DIR);
  const char *slash = strrchr(linker->openmp, '/');
  if (asprintf(&linker->openmp_rpath, "-rpath=%.*s", (int)(slash - linker->openmp),
               linker->openmp) < 0) {
    linker->openmp_rpath = NULL;
    return tune_status_out_of_memory("looking for a linker");
  }
  return TUNE_OK;
}

static tune_status find_all(tune_linker *linker, bool threads) {
  union {
    float (*function)(float);
    const void *address;
  } libm = {.function = erff};
  TUNE_RETURN_IF_ERROR(find_linker_program(&linker->program));
  TUNE_RETURN_IF_ERROR(find_runtime(&linker->runtime));
  TUNE_RETURN_IF_ERROR(find_loaded_library(libm.address, "libm", &linker->libm));
  linker->libmvec = find_near(linker->libm, "libmvec.so.1");
  return threads ? find_openmp(linker) : TUNE_OK;
}

tune_status tune_linker_create(bool threads, tune_linker **out_linker) {
  *out_linker = NULL;
  tune_linker *linker = calloc(1, sizeof *linker);
  if (!linker)
    return tune_status_out_of_memory("looking for a linker");
  tune_status status = find_all(linker, threads);
  if (!tune_status_is_ok(status)) {
    tune_linker_destroy(linker);
    return status;
  }
  *out_linker = linker;
  return TUNE_OK;
}

void tune_linker_destroy(tune_linker *linker) {
  if (!linker)
    return;
  free(linker->program);
  free(linker->runtime);
  free(linker->libm);
  free(linker->libmvec);
  free(linker->openmp);
  free(linker->openmp_rpath);
  free(linker);
}

// A linker says that a disk is full in words of its own language. So what failed is looked at
// again: whether there is room for a file of about the size of what it was to write.
static bool has_room(const char *path, size_t object_size) {
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return true; // something else is wrong
  int error = posix_fallocate(file, 0, 2 * (off_t)object_size + ROOM_BYTES);
  close(file);
  unlink(path);
  return error != ENOSPC && error != EDQUOT && error != EFBIG;
}

static tune_status explain_failure(tune_status status, const char *path, size_t object_size) {
  if (tune_status_is_ok(status) || has_room(path, object_size))
    return status;
  tune_status_free(status);
  return tune_status_make(TUNE_RESOURCE_EXHAUSTED, "no space left on the device; make room there");
}

// What libraries of this machine can be linked with, whatever the linker would say of others.
static tune_status check_kind(const void *object, size_t size) {
  Elf64_Ehdr own, theirs;
  FILE *program = fopen("/proc/self/exe", "re");
  bool is_read = program && fread(&own, sizeof own, 1, program) == 1;
  if (program)
    fclose(program);
  if (size >= sizeof theirs)
    memcpy(&theirs, object, sizeof theirs);
  bool is_elf = size >= sizeof theirs && memcmp(theirs.e_ident, ELFMAG, SELFMAG) == 0;
  if (!is_read || (is_elf && theirs.e_machine == own.e_machine))
    return TUNE_OK;
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "the code is for another kind of machine%s, and the libraries that a "
                          "shared object needs are not here; --emit=obj makes what is linked there",
                          is_elf ? "" : ", whose objects are no ELF");
}

tune_status tune_linker_run(const tune_linker *linker, const void *object, size_t size,
                            const char *path) {
  TUNE_RETURN_IF_ERROR(tune_status_annotate(check_kind(object, size), "linking %s", path));
  char *object_path = NULL;
  if (asprintf(&object_path, "%s.o", path) < 0)
    return tune_status_out_of_memory("linking %s", path);
  tune_status status = tune_file_write(object_path, object, size);
  if (tune_status_is_ok(status)) {
    // Without a build id, and bound at load: a call must not go through the resolver while timed.
    // libc is left out, every process has it, and reading its symbols would take 10 ms.
    const char *arguments[] = {linker->program,
                               "-shared",
                               "--build-id=none",
                               "-znow",
                               "-znoexecstack",
                               "-o",
                               path,
                               object_path,
                               linker->runtime,
                               "--as-needed",
                               linker->libm,
                               NULL,
                               NULL,
                               NULL,
                               NULL};
    size_t count = sizeof arguments / sizeof *arguments - 4;
    if (linker->libmvec)
      arguments[count++] = linker->libmvec;
    if (linker->openmp)
      arguments[count++] = linker->openmp;
    if (linker->openmp)
      arguments[count++] = linker->openmp_rpath;
    tune_process_options options = {.arguments = arguments,
                                    .in = TUNE_PROCESS_DISCARD,
                                    .out = TUNE_PROCESS_DISCARD,
                                    .error = TUNE_PROCESS_CAPTURE};
    status = explain_failure(tune_process_run(&options, LINK_SECONDS), path, size);
    if (tune_status_is_ok(status))
      status = tune_link_check_symbols(path);
  }
  unlink(object_path);
  free(object_path);
  return tune_status_annotate(status, "linking %s", path);
}
