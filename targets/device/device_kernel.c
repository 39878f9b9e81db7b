//===- device_kernel.c - A program on a device other than the CPU ---------------------===//

#include "targets/device/device_kernel.h"

#include "support/clock.h"

#include <stdlib.h>

static tune_status validate(const tune_device_kernel *kernel, tune_status status) {
  const tune_device_driver *driver = kernel->driver;
  return driver->validate ? driver->validate(kernel->device, status) : status;
}

static tune_device_buffer *buffer_at(const tune_device_kernel *kernel, size_t index) {
  char *buffers = kernel->buffers;
  return (tune_device_buffer *)(void *)(buffers + index * kernel->driver->memory->buffer_size);
}

//===- Loading ----------------------------------------------------------------------===//

void tune_device_kernel_unload(tune_kernel *base) {
  if (!base)
    return;
  tune_device_kernel *kernel = (tune_device_kernel *)base;
  kernel->driver->unload(kernel);
  for (size_t i = 0; kernel->buffers && i < kernel->program.buffer_count; ++i)
    tune_device_buffer_deinit(buffer_at(kernel, i));
  tune_host_modules_unload(&kernel->program, kernel->host_modules);
  tune_program_deinit(&kernel->program);
  tune_status_free(kernel->failure);
  free(kernel->buffers);
  free(kernel->sources);
  free(kernel);
}

tune_status tune_device_kernel_create(const tune_device_driver *driver, void *device,
                                      const tune_signature *signature, tune_program *program,
                                      tune_kernel **out_kernel) {
  *out_kernel = NULL;
  tune_device_kernel *kernel = calloc(1, driver->kernel_size);
  if (!kernel) {
    tune_program_deinit(program);
    return tune_status_out_of_memory("loading a program");
  }
  kernel->base.is_unordered = program->is_unordered;
  kernel->driver = driver;
  kernel->device = device;
  kernel->signature = signature;
  kernel->program = *program;
  *program = (tune_program){0};
  tune_status status = tune_host_modules_load(&kernel->program, &kernel->host_modules);
  if (tune_status_is_ok(status))
    status = validate(kernel, driver->load(kernel));
  if (!tune_status_is_ok(status)) {
    tune_device_kernel_unload(&kernel->base);
    return status;
  }
  *out_kernel = &kernel->base;
  return TUNE_OK;
}

tune_status tune_device_kernel_load(const tune_device_driver *driver, const tune_target *target,
                                    void *device, const tune_artifact *artifact,
                                    tune_kernel **out_kernel) {
  *out_kernel = NULL;
  tune_program program;
  TUNE_RETURN_IF_ERROR(
      tune_program_read(artifact->path, target->methods->name, artifact->signature, &program));
  tune_status status =
      tune_device_kernel_create(driver, device, artifact->signature, &program, out_kernel);
  if (tune_status_is_ok(status))
    (*out_kernel)->methods = target->methods;
  return tune_status_annotate(status, "%s", artifact->path);
}

//===- Binding ----------------------------------------------------------------------===//

static tune_status check_argument(const tune_value_type *type, const tune_buffer *buffer) {
  if (buffer->type.element == type->element && buffer->type.is_scalar == type->is_scalar &&
      tune_value_type_allows(type, buffer->type.rank, buffer->type.shape))
    return TUNE_OK;
  char found[TUNE_VALUE_TYPE_TEXT], expected[TUNE_VALUE_TYPE_TEXT];
  tune_value_type_to_text(&buffer->type, found);
  tune_value_type_to_text(type, expected);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "it is %s, expected %s", found, expected);
}

// What buffer `index` holds at first; NULL: nothing.
static const void *first_contents(const tune_device_kernel *kernel, size_t index) {
  const tune_buffer *source = kernel->sources[index];
  return source ? source->data : kernel->program.buffers[index].data;
}

// Gives each buffer its first contents, and those without any ones in all bits.
static tune_status fill_buffers(tune_device_kernel *kernel, const tune_buffer *arguments) {
  const tune_program *program = &kernel->program;
  for (size_t i = 0; i < program->buffer_count; ++i) {
    if (program->buffers[i].kind == TUNE_PROGRAM_ARGUMENT)
      kernel->sources[i] = &arguments[program->buffers[i].index];
    const void *contents = first_contents(kernel, i);
    if (contents)
      TUNE_RETURN_IF_ERROR(tune_device_buffer_write(buffer_at(kernel, i), contents));
    else if (kernel->is_bound) // a new buffer has them
      TUNE_RETURN_IF_ERROR(tune_device_buffer_poison(buffer_at(kernel, i)));
  }
  return TUNE_OK;
}

static tune_status make_buffers(tune_device_kernel *kernel) {
  const tune_device_memory *memory = kernel->driver->memory;
  const tune_program *program = &kernel->program;
  kernel->buffers = calloc(program->buffer_count + 1, memory->buffer_size);
  kernel->sources = calloc(program->buffer_count + 1, sizeof *kernel->sources);
  if (!kernel->buffers || !kernel->sources)
    return tune_status_out_of_memory("binding");
  for (size_t i = 0; i < program->buffer_count; ++i)
    TUNE_RETURN_IF_ERROR(tune_device_buffer_init(memory, kernel->device, program->buffers[i].size,
                                                 !program->buffers[i].is_read_only,
                                                 buffer_at(kernel, i)));
  return TUNE_OK;
}

static tune_status bind_all(tune_device_kernel *kernel, const tune_buffer *buffers) {
  kernel->has_run = false;
  if (kernel->is_bound)
    return fill_buffers(kernel, buffers);
  TUNE_RETURN_IF_ERROR(make_buffers(kernel));
  TUNE_RETURN_IF_ERROR(fill_buffers(kernel, buffers));
  return kernel->driver->bind(kernel);
}

tune_status tune_device_kernel_bind(tune_kernel *base, const tune_buffer *buffers, size_t count) {
  tune_device_kernel *kernel = (tune_device_kernel *)base;
  const tune_signature *signature = kernel->signature;
  if (kernel->buffers && !kernel->is_bound)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "binding the kernel has failed before");
  if (count != signature->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu arguments where %s takes %zu", count,
                            signature->entry, signature->argument_count);
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(check_argument(&signature->arguments[i], &buffers[i]),
                                              "argument %zu", i));
  tune_status status = validate(kernel, bind_all(kernel, buffers));
  kernel->is_bound = tune_status_is_ok(status);
  return status;
}

//===- Running ----------------------------------------------------------------------===//

void tune_device_kernel_rewind(tune_kernel *base) {
  tune_device_kernel *kernel = (tune_device_kernel *)base;
  for (size_t i = 0; kernel->is_bound && i < kernel->program.buffer_count; ++i)
    if (kernel->sources[i] && !kernel->program.buffers[i].is_read_only)
      kernel->failure =
          tune_status_join(kernel->failure, tune_device_buffer_write(buffer_at(kernel, i),
                                                                     kernel->sources[i]->data));
}

// Where `branch` goes on.
static tune_status take_branch(const tune_device_kernel *kernel, size_t branch, size_t *out_next) {
  const tune_program_step *step = &kernel->program.steps[branch];
  *out_next = step->target;
  if (!step->has_condition)
    return TUNE_OK;
  const tune_device_buffer *buffer = buffer_at(kernel, step->from);
  uint32_t word;
  _Static_assert(sizeof word == TUNE_PROGRAM_CONDITION_BYTES, "what is read is a word");
  TUNE_RETURN_IF_ERROR(buffer->memory->read(buffer, buffer->offset, sizeof word, &word));
  if (word)
    *out_next = branch + 1;
  return TUNE_OK;
}

// What the driver does not take: a branch, or the host's.
static tune_status take_stop(const tune_device_kernel *kernel, size_t stop, size_t *out_next) {
  const tune_program_step *step = &kernel->program.steps[stop];
  if (step->kind == TUNE_PROGRAM_BRANCH)
    return take_branch(kernel, stop, out_next);
  *out_next = stop + 1;
  return tune_host_step_run(kernel->host_modules, step, kernel->buffers,
                            kernel->driver->memory->buffer_size);
}

static tune_status run_once(tune_device_kernel *kernel) {
  const tune_program *program = &kernel->program;
  for (size_t next = 0; next < program->step_count;) {
    size_t stop = tune_program_find_stop(program, next);
    if (stop > next)
      TUNE_RETURN_IF_ERROR(kernel->driver->run_steps(kernel, next, stop));
    next = stop;
    if (stop < program->step_count)
      TUNE_RETURN_IF_ERROR(take_stop(kernel, stop, &next));
  }
  return TUNE_OK;
}

static tune_status run_with_stops(tune_device_kernel *kernel, uint64_t repeats,
                                  double *out_seconds) {
  uint64_t start = tune_clock_nanoseconds();
  for (uint64_t i = 0; i < repeats; ++i)
    TUNE_RETURN_IF_ERROR(run_once(kernel));
  *out_seconds = (double)(tune_clock_nanoseconds() - start) * 1e-9;
  return TUNE_OK;
}

tune_status tune_device_kernel_time(tune_kernel *base, uint64_t repeats, double *out_seconds) {
  tune_device_kernel *kernel = (tune_device_kernel *)base;
  if (!kernel->is_bound)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has no arguments yet");
  tune_status failure = kernel->failure;
  kernel->failure = TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_status_annotate(failure, "rewinding"));
  tune_status status = kernel->program.has_stops
                           ? run_with_stops(kernel, repeats, out_seconds)
                           : kernel->driver->run(kernel, repeats, out_seconds);
  TUNE_RETURN_IF_ERROR(validate(kernel, status));
  kernel->has_run = true;
  return TUNE_OK;
}

//===- Reading and checking ---------------------------------------------------------===//

tune_status tune_device_kernel_read(const tune_kernel *base, size_t output,
                                    tune_buffer *out_buffer) {
  *out_buffer = (tune_buffer){0};
  const tune_device_kernel *kernel = (const tune_device_kernel *)base;
  if (!kernel->has_run)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has not run yet");
  size_t buffer = tune_program_find_output(&kernel->program, kernel->signature, output);
  TUNE_RETURN_IF_ERROR(
      tune_buffer_init(out_buffer, tune_signature_output(kernel->signature, output)));
  tune_status status =
      validate(kernel, tune_device_buffer_read(buffer_at(kernel, buffer), out_buffer->data));
  if (!tune_status_is_ok(status))
    tune_buffer_deinit(out_buffer);
  return status;
}

static tune_status check_buffer(const tune_device_kernel *kernel, size_t index) {
  TUNE_RETURN_IF_ERROR(tune_device_buffer_check_guards(buffer_at(kernel, index)));
  const void *contents = first_contents(kernel, index);
  if (!kernel->program.buffers[index].is_read_only || !contents)
    return TUNE_OK;
  bool is_equal;
  TUNE_RETURN_IF_ERROR(tune_device_buffer_equals(buffer_at(kernel, index), contents, &is_equal));
  return is_equal ? TUNE_OK
                  : tune_status_make(TUNE_DATA_LOSS, "it was written, but it is only to be read");
}

tune_status tune_device_kernel_check(const tune_kernel *base) {
  const tune_device_kernel *kernel = (const tune_device_kernel *)base;
  for (size_t i = 0; kernel->is_bound && i < kernel->program.buffer_count; ++i) {
    char name[32];
    tune_program_buffer_name(&kernel->program, i, name);
    TUNE_RETURN_IF_ERROR(tune_status_annotate(check_buffer(kernel, i), "%s", name));
  }
  return validate(kernel, TUNE_OK);
}

// The device's memory is not the host's: what crashes there is no crash here. Where it is
// (lavapipe) its addresses are the driver's own affair: a kernel stays in its buffers, as the
// driver sees to.
tune_buffer_place tune_device_kernel_locate(const tune_kernel *base, const void *address,
                                            size_t *out_argument) {
  (void)base, (void)address, (void)out_argument;
  return TUNE_BUFFER_ELSEWHERE;
}
