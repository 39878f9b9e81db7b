//===- host_step.c ------------------------------------------------------------===//

#include "targets/device/host_step.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64
#define ENTRY "tune_entry"

//===- Loading ----------------------------------------------------------------------===//

// A file in memory, which dlopen(3) wants a path of.
static tune_status make_file(const tune_program_module *module, int *out_fd) {
  *out_fd = memfd_create("tune_host", MFD_CLOEXEC);
  if (*out_fd < 0)
    return tune_status_from_errno(errno, "loading code of the host");
  size_t written = 0;
  while (written < module->size) {
    ssize_t count = write(*out_fd, (const char *)module->code + written, module->size - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      int error = errno;
      close(*out_fd);
      return tune_status_from_errno(error, "loading code of the host");
    }
    written += (size_t)count;
  }
  return TUNE_OK;
}

static tune_status load(const tune_program_module *module, tune_host_module *out) {
  TUNE_RETURN_IF_ERROR(make_file(module, &out->fd));
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", out->fd);
  out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *error = out->handle ? NULL : dlerror();
  if (!out->handle) {
    close(out->fd);
    return tune_status_make(TUNE_INVALID_ARGUMENT, "code of the host: %s",
                            error ? error : "it is no shared object");
  }
  *(void **)&out->entry = dlsym(out->handle, ENTRY);
  return out->entry ? TUNE_OK
                    : tune_status_make(TUNE_INVALID_ARGUMENT, "code of the host without %s", ENTRY);
}

tune_status tune_host_modules_load(const tune_program *program, tune_host_module **out_modules) {
  *out_modules = calloc(program->module_count + 1, sizeof **out_modules);
  if (!*out_modules)
    return tune_status_out_of_memory("loading code of the host");
  for (size_t i = 0; i < program->module_count; ++i)
    if (program->modules[i].is_host)
      TUNE_RETURN_IF_ERROR(
          tune_status_annotate(load(&program->modules[i], &(*out_modules)[i]), "module %zu", i));
  return TUNE_OK;
}

void tune_host_modules_unload(const tune_program *program, tune_host_module *modules) {
  for (size_t i = 0; modules && i < program->module_count; ++i)
    if (modules[i].handle) {
      dlclose(modules[i].handle);
      close(modules[i].fd);
    }
  free(modules);
}

//===- Running ----------------------------------------------------------------------===//

// A memref descriptor, of which code for fixed sizes reads the pointers and the offset.
typedef struct descriptor {
  void *allocated, *aligned;
  int64_t offset, sizes_and_strides[2 * TUNE_RANK_LIMIT];
} descriptor;

typedef struct call {
  descriptor *descriptors;
  void **pointers;
} call;

static tune_status read_arguments(const tune_program_step *step, const char *buffers, size_t size,
                                  call *c) {
  c->descriptors = calloc(step->argument_count + 1, sizeof *c->descriptors);
  c->pointers = calloc(step->argument_count + 1, sizeof *c->pointers);
  if (!c->descriptors || !c->pointers)
    return tune_status_out_of_memory("a step on the host");
  for (size_t i = 0; i < step->argument_count; ++i) {
    const void *at = buffers + step->arguments[i].buffer * size;
    const tune_device_buffer *buffer = at;
    size_t bytes = (buffer->size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    descriptor *d = &c->descriptors[i];
    d->allocated = d->aligned = aligned_alloc(ALIGNMENT, bytes);
    c->pointers[i] = d;
    if (!d->allocated)
      return tune_status_out_of_memory("%zu bytes for a step on the host", bytes);
    TUNE_RETURN_IF_ERROR(tune_device_buffer_read(buffer, d->aligned));
  }
  return TUNE_OK;
}

static tune_status write_back(const tune_program_step *step, const char *buffers, size_t size,
                              const call *c) {
  for (size_t i = 0; i < step->argument_count; ++i) {
    const void *at = buffers + step->arguments[i].buffer * size;
    if (step->arguments[i].is_written)
      TUNE_RETURN_IF_ERROR(tune_device_buffer_write(at, c->descriptors[i].aligned));
  }
  return TUNE_OK;
}

tune_status tune_host_step_run(const tune_host_module *modules, const tune_program_step *step,
                               const void *buffers, size_t buffer_size) {
  call c = {.pointers = NULL};
  tune_status status = read_arguments(step, buffers, buffer_size, &c);
  if (tune_status_is_ok(status)) {
    modules[step->module].entry(c.pointers);
    status = write_back(step, buffers, buffer_size, &c);
  }
  for (size_t i = 0; c.descriptors && i < step->argument_count; ++i)
    free(c.descriptors[i].allocated);
  free(c.descriptors);
  free(c.pointers);
  return status;
}
