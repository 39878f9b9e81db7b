//===- cuda_device.c - One CUDA device, and what is needed to run on it -----------------===//

#include "targets/cuda/cuda_device.h"
#include "support/string_builder.h"
#include "targets/cuda/cuda_architecture.h"
#include "targets/cuda/cuda_fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_VERSION 11040
#define NAME_SIZE 256

//===- The driver -------------------------------------------------------------------===//

// What to do about a driver that does not start.
static tune_status explain_start(const cuda_functions *f, CUresult result) {
  const char *advice;
  switch (result) {
  case CUDA_SUCCESS:
    return TUNE_OK;
  case CUDA_ERROR_NO_DEVICE:
    advice = "there is no NVIDIA GPU here, or CUDA_VISIBLE_DEVICES hides it";
    break;
  case CUDA_ERROR_STUB_LIBRARY:
    advice = "this libcuda.so.1 is the toolkit's stub; install NVIDIA's driver";
    break;
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    advice = "the library and the kernel's module are of two versions; restart the machine, or "
             "install the driver anew";
    break;
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    advice =
        "the device does not take this library with the kernel's older module; update NVIDIA's "
        "driver";
    break;
  case CUDA_ERROR_SYSTEM_NOT_READY:
    advice = "the system is not ready yet; is nvidia-fabricmanager running?";
    break;
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
    advice = "another process has it for itself (nvidia-smi --compute-mode)";
    break;
  case CUDA_ERROR_UNKNOWN:
    advice = "is the kernel's module nvidia_uvm loaded, and may /dev/nvidia* be opened?";
    break;
  default:
    advice = "is NVIDIA's driver installed as a whole?";
  }
  return tune_status_make(TUNE_UNAVAILABLE, "no CUDA device: %s: %s", cuda_result_name(f, result),
                          advice);
}

static tune_status start_driver(cuda_device *device) {
  const cuda_functions *f = &device->functions;
  TUNE_RETURN_IF_ERROR(cuda_functions_load(&device->functions));
  TUNE_RETURN_IF_ERROR(explain_start(f, f->Init(0)));
  TUNE_RETURN_IF_ERROR(
      cuda_status(f, f->DriverGetVersion(&device->version), "asking for the driver's version"));
  if (device->version < LEAST_VERSION)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "the driver speaks CUDA %d.%d, 11.4 is needed; install NVIDIA's driver "
                            "470 or later",
                            device->version / 1000, device->version % 1000 / 10);
  return TUNE_OK;
}

//===- The choice -------------------------------------------------------------------===//

typedef struct choice {
  CUdevice device;
  int major, minor;
  char name[NAME_SIZE];
} choice;

static tune_status read_choice(const cuda_functions *f, int ordinal, choice *out) {
  CUresult result = f->DeviceGet(&out->device, ordinal);
  if (result == CUDA_SUCCESS)
    result = f->DeviceGetName(out->name, sizeof out->name - 1, out->device);
  if (result == CUDA_SUCCESS)
    result = f->DeviceGetAttribute(&out->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                   out->device);
  if (result == CUDA_SUCCESS)
    result = f->DeviceGetAttribute(&out->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                   out->device);
  return cuda_status(f, result, "asking for CUDA's device %d", ordinal);
}

static tune_status list_devices(const cuda_functions *f, choice **out_choices, size_t *out_count) {
  int count = 0;
  *out_choices = NULL;
  *out_count = 0;
  TUNE_RETURN_IF_ERROR(cuda_status(f, f->DeviceGetCount(&count), "counting CUDA's devices"));
  if (count < 1)
    return explain_start(f, CUDA_ERROR_NO_DEVICE);
  choice *choices = calloc((size_t)count, sizeof *choices);
  tune_status status = choices ? TUNE_OK : tune_status_out_of_memory("listing CUDA's devices");
  for (int i = 0; i < count && tune_status_is_ok(status); ++i)
    status = read_choice(f, i, &choices[i]);
  if (!tune_status_is_ok(status)) {
    free(choices);
    return status;
  }
  *out_choices = choices;
  *out_count = (size_t)count;
  return TUNE_OK;
}

static bool is_number(const char *text) {
  return *text && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 6;
}

// The driver lists what is fastest first.
static const choice *find_choice(const choice *choices, size_t count, const char *selector) {
  if (!selector || !*selector)
    return &choices[0];
  if (is_number(selector)) {
    size_t index = strtoul(selector, NULL, 10);
    return index < count ? &choices[index] : NULL;
  }
  int number;
  bool is_architecture = cuda_architecture_parse(selector, &number);
  for (size_t i = 0; i < count; ++i)
    if (is_architecture ? choices[i].major * 10 + choices[i].minor == number
                        : strcasestr(choices[i].name, selector) != NULL)
      return &choices[i];
  return NULL;
}

static tune_status describe_choices(const choice *choices, size_t count, const char *selector) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_appendf(&text, "%s%zu: %s (sm_%d%d)", i ? ", " : "", i, choices[i].name,
                                choices[i].major, choices[i].minor);
  tune_status status = tune_status_make(TUNE_NOT_FOUND, "no CUDA device '%s'; there are: %s",
                                        selector, text.failed ? "…" : text.text);
  tune_string_builder_deinit(&text);
  return status;
}

static tune_status choose(cuda_device *device, const char *selector) {
  choice *choices;
  size_t count;
  TUNE_RETURN_IF_ERROR(list_devices(&device->functions, &choices, &count));
  const char *chosen = selector ? selector : getenv("TUNE_CUDA_DEVICE");
  const choice *found = find_choice(choices, count, chosen);
  tune_status status = found ? TUNE_OK : describe_choices(choices, count, chosen);
  if (found) {
    device->device = found->device;
    device->major = found->major;
    device->minor = found->minor;
  }
  free(choices);
  return status;
}

//===- Opening ----------------------------------------------------------------------===//

static tune_status create_context(cuda_device *device) {
  const cuda_functions *f = &device->functions;
  CUcontext context;
  CUresult result = f->DevicePrimaryCtxRetain(&context, device->device);
  if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
    return explain_start(f, result);
  TUNE_RETURN_IF_ERROR(cuda_status(f, result, "opening the device"));
  device->context = context;
  TUNE_RETURN_IF_ERROR(cuda_status(f, f->CtxSetCurrent(context), "opening the device"));
  // Copies and fills, which are not on this stream, wait for it, and it for them.
  CUstream stream;
  TUNE_RETURN_IF_ERROR(
      cuda_status(f, f->StreamCreate(&stream, CU_STREAM_DEFAULT), "making a stream"));
  device->stream = stream;
  return TUNE_OK;
}

static tune_status open_all(const char *selector, cuda_device *device) {
  TUNE_RETURN_IF_ERROR(start_driver(device));
  TUNE_RETURN_IF_ERROR(choose(device, selector));
  TUNE_RETURN_IF_ERROR(cuda_fingerprint_read(device, &device->fingerprint));
  return tune_status_annotate(create_context(device), "%s", device->fingerprint.model);
}

tune_status cuda_device_open(const char *selector, cuda_device *out_device) {
  *out_device = (cuda_device){0};
  tune_status status = open_all(selector, out_device);
  if (!tune_status_is_ok(status))
    cuda_device_close(out_device);
  return status;
}

// What a device that was lost says of this is of no interest.
void cuda_device_close(cuda_device *device) {
  const cuda_functions *f = &device->functions;
  if (device->stream)
    f->StreamDestroy(device->stream);
  if (device->context)
    f->DevicePrimaryCtxRelease(device->device);
  tune_fingerprint_deinit(&device->fingerprint);
  *device = (cuda_device){0};
}
