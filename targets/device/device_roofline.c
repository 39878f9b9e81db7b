//===- device_roofline.c - A kernel of a device's roofline, launched and timed --------===//

#include "targets/device/device_roofline.h"

#include <stdlib.h>
#include <string.h>

static tune_status copy_module(const tune_device_work *work, tune_program *out) {
  out->modules = calloc(1, sizeof *out->modules);
  if (!out->modules)
    return tune_status_out_of_memory("measuring the roofline");
  out->module_count = 1;
  out->modules[0] = (tune_program_module){
      .code = malloc(work->code_size), .size = work->code_size, .opt_level = work->opt_level};
  if (!out->modules[0].code)
    return tune_status_out_of_memory("measuring the roofline");
  memcpy(out->modules[0].code, work->code, work->code_size);
  return TUNE_OK;
}

static tune_status make_program(const tune_device_work *work, tune_program *out) {
  *out = (tune_program){0};
  TUNE_RETURN_IF_ERROR(copy_module(work, out));
  const size_t buffer_count = work->read_bytes ? 2 : 1;
  out->buffers = calloc(2, sizeof *out->buffers);
  out->steps = calloc(1, sizeof *out->steps);
  tune_program_argument *arguments = calloc(3, sizeof *arguments);
  if (out->steps) {
    out->step_count = 1;
    out->steps[0] = (tune_program_step){.kind = TUNE_PROGRAM_LAUNCH,
                                        .entry = strdup(work->entry),
                                        .groups = {work->groups, 1, 1},
                                        .group_size = {work->group_size, 1, 1},
                                        .arguments = arguments,
                                        .argument_count = buffer_count + (work->rounds != 0)};
  }
  if (!out->buffers || !out->steps || !out->steps[0].entry || !arguments) {
    if (!out->steps)
      free(arguments);
    return tune_status_out_of_memory("measuring the roofline");
  }
  out->buffer_count = buffer_count;
  out->buffers[0] = (tune_program_buffer){.kind = TUNE_PROGRAM_SCRATCH, .size = work->result_bytes};
  out->buffers[1] = (tune_program_buffer){.kind = TUNE_PROGRAM_SCRATCH, .size = work->read_bytes};
  arguments[0] = (tune_program_argument){.kind = TUNE_PROGRAM_STORAGE, .is_written = true};
  arguments[1] = (tune_program_argument){.kind = work->read_as, .buffer = 1};
  arguments[2] = (tune_program_argument){.kind = TUNE_PROGRAM_I32, .i32 = work->rounds};
  return TUNE_OK;
}

// The shortest time of a run, of several windows of as many runs as fill them.
static tune_status find_best(tune_kernel *kernel, bool quick, double *out_seconds) {
  const double window = quick ? 1e-3 : 5e-3; // seconds
  const size_t windows = quick ? 5 : 15;
  double seconds;
  TUNE_RETURN_IF_ERROR(tune_device_kernel_time(kernel, 1, &seconds));
  TUNE_RETURN_IF_ERROR(tune_device_kernel_time(kernel, 1, &seconds));
  uint64_t repeats = seconds < window ? (uint64_t)(window / seconds) + 1 : 1;
  *out_seconds = seconds;
  for (size_t i = 0; i < windows; ++i) {
    TUNE_RETURN_IF_ERROR(tune_device_kernel_time(kernel, repeats, &seconds));
    if (seconds / (double)repeats < *out_seconds)
      *out_seconds = seconds / (double)repeats;
  }
  return TUNE_OK;
}

tune_status tune_device_work_time(const tune_device_driver *driver, void *device,
                                  const tune_device_work *work, bool quick, double *out_seconds) {
  const tune_signature nothing = {.entry = (char *)"roofline"};
  tune_program program;
  tune_kernel *kernel = NULL;
  tune_status status = make_program(work, &program);
  if (tune_status_is_ok(status))
    status = tune_device_kernel_create(driver, device, &nothing, &program, &kernel);
  else
    tune_program_deinit(&program);
  if (tune_status_is_ok(status))
    status = tune_device_kernel_bind(kernel, NULL, 0);
  if (tune_status_is_ok(status))
    status = find_best(kernel, quick, out_seconds);
  tune_device_kernel_unload(kernel);
  return tune_status_annotate(status, "%s", work->entry);
}
