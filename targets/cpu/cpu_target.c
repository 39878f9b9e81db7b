//===- cpu_target.c - Artifacts on the CPU of this process --------------------------===//
//
// The artifact is a shared object with a `void tune_entry(void **arguments)`; docs/protocol.md
// has the ABI.
//
//===--------------------------------------------------------------------------===//

#include "formats/cpu_models.h"
#include "support/clock.h"
#include "support/string_builder.h"
#include "targets/cpu/cpu_flush.h"
#include "targets/pinning.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_POISONED ((size_t)256 << 10)

typedef struct cpu_target {
  tune_target base;
  tune_fingerprint here;  // of this machine
  tune_fingerprint named; // of the CPU that this one is taken for; without a target: itself
  int *cpus;              // one for each thread
  size_t threads;
  cpu_flush flush;
} cpu_target;

// MLIR's ranked memref descriptor.
typedef struct descriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizes_and_strides[]; // sizes[rank], then strides[rank]
} descriptor;

typedef struct cpu_kernel {
  tune_kernel base;
  const tune_signature *signature;
  void *library;
  void (*entry)(void **arguments);
  void (*free)(void *memory);         // the artifact's tune_runtime_free
  void (*guard)(bool is_guarded);     // and tune_runtime_guard, where it allocates anything
  size_t (*overwritten)(void);        // and tune_runtime_overwritten
  void *(*prepack)(void **arguments); // and, where it packs constant arguments ahead, NULL else
  void (*prepack_free)(void *packed);

  // One of each for each argument.
  const tune_buffer **sources; // as bound; borrowed
  tune_buffer *copies;         // of what is written, else empty
  descriptor **descriptors;    // of tensors, else NULL

  void **pointers; // what the entry takes
  char *results;   // the descriptors of all results, one after the other
  size_t results_size;
  void *packed; // what prepack gave back for the arguments as bound, or NULL
  bool has_run, is_packed_guarded;
} cpu_kernel;

//===- The target ------------------------------------------------------------------===//

static tune_status set_variable(const char *name, const char *value) {
  return setenv(name, value, 1) == 0 ? TUNE_OK : tune_status_from_errno(errno, "setting %s", name);
}

// libomp reads these when an artifact brings it in. One place a thread, in order.
static tune_status set_openmp_variables(const cpu_target *cpu) {
  tune_string_builder places, count;
  tune_string_builder_init(&places);
  tune_string_builder_init(&count);
  for (size_t i = 0; i < cpu->threads; ++i)
    tune_string_builder_appendf(&places, i ? ",{%d}" : "{%d}", cpu->cpus[i]);
  tune_string_builder_appendf(&count, "%zu", cpu->threads);
  tune_status status =
      places.failed || count.failed ? tune_status_out_of_memory("pinning threads") : TUNE_OK;
  if (tune_status_is_ok(status))
    status = set_variable("OMP_PLACES", places.text);
  if (tune_status_is_ok(status))
    status = set_variable("OMP_NUM_THREADS", count.text);
  if (tune_status_is_ok(status))
    status = set_variable("OMP_PROC_BIND", "true");
  if (tune_status_is_ok(status))
    status = set_variable("OMP_DYNAMIC", "false");
  tune_string_builder_deinit(&places);
  tune_string_builder_deinit(&count);
  return status;
}

static void cpu_close(tune_target *target) {
  if (!target)
    return;
  cpu_target *cpu = (cpu_target *)target;
  tune_fingerprint_deinit(&cpu->here);
  tune_fingerprint_deinit(&cpu->named);
  cpu_flush_deinit(&cpu->flush);
  free(cpu->cpus);
  free(cpu);
}

// Of a CPU that this machine has all of the code runs as well.
static tune_status take_name(cpu_target *cpu, const char *name) {
  TUNE_RETURN_IF_ERROR(tune_cpu_model_describe(name, &cpu->named));
  char *lacking;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_find_lacking(&cpu->named, &lacking));
  tune_status status = TUNE_OK;
  if (lacking)
    status = tune_status_make(TUNE_UNAVAILABLE,
                              "code for cpu:%s does not run here: this machine, %s, %s", name,
                              cpu->here.model, lacking);
  free(lacking);
  return status;
}

static tune_status cpu_open(const tune_target_options *options, tune_target **out_target) {
  *out_target = NULL;
  cpu_target *cpu = calloc(1, sizeof *cpu);
  if (!cpu)
    return tune_status_out_of_memory("opening the cpu target");
  cpu->base.methods = &tune_target_cpu;
  tune_status status = tune_pinning_choose(options, &cpu->cpus, &cpu->threads);
  if (tune_status_is_ok(status))
    status = tune_fingerprint_of_cpu(&cpu->here);
  if (tune_status_is_ok(status) && options->device)
    status = take_name(cpu, options->device);
  if (tune_status_is_ok(status))
    status = tune_pinning_apply(cpu->cpus, cpu->threads);
  if (tune_status_is_ok(status))
    status = set_openmp_variables(cpu);
  if (!tune_status_is_ok(status)) {
    cpu_close(&cpu->base);
    return status;
  }
  *out_target = &cpu->base;
  return TUNE_OK;
}

static const tune_fingerprint *cpu_fingerprint(const tune_target *target) {
  const cpu_target *cpu = (const cpu_target *)target;
  return cpu->named.target ? &cpu->named : &cpu->here;
}

static tune_status cpu_roofline(tune_target *target, bool quick, tune_roofline *out_roofline) {
  const cpu_target *cpu = (const cpu_target *)target;
  // The instructions are those of the CPU that is named, the caches those that are here. Borrowed.
  tune_fingerprint machine = cpu->here;
  if (cpu->named.target) {
    machine.features = cpu->named.features;
    machine.has_fma = cpu->named.has_fma;
    machine.has_bf16_dot = cpu->named.has_bf16_dot;
    machine.has_int8_dot = cpu->named.has_int8_dot;
  }
  return tune_roofline_measure_cpu(&machine, cpu->cpus, cpu->threads, quick, out_roofline);
}

static tune_status cpu_flush_caches(tune_target *target) {
  cpu_target *cpu = (cpu_target *)target;
  return cpu_flush_run(&cpu->flush, &cpu->here, cpu->cpus, cpu->threads);
}

//===- Loading and binding ----------------------------------------------------------===//

static size_t descriptor_size(size_t rank) {
  return sizeof(descriptor) + 2 * rank * sizeof(int64_t);
}

// Frees the results of the last run. A result may be an argument, or the same memory twice.
static void release_results(cpu_kernel *kernel) {
  char *at = kernel->results;
  for (size_t i = 0; i < kernel->signature->result_count; ++i) {
    descriptor *result = (descriptor *)at;
    at += descriptor_size(kernel->signature->results[i].rank);
    char *memory = result->allocated;
    if (!memory)
      continue;
    size_t argument;
    if (kernel->base.methods->locate(&kernel->base, memory, &argument) == TUNE_BUFFER_ELSEWHERE)
      kernel->free(memory);
    // Whoever else holds it must not free it again.
    char *later = at;
    for (size_t j = i + 1; j < kernel->signature->result_count; ++j) {
      descriptor *other = (descriptor *)later;
      if (other->allocated == memory)
        other->allocated = NULL;
      later += descriptor_size(kernel->signature->results[j].rank);
    }
    result->allocated = NULL;
  }
}

static void release_packed(cpu_kernel *kernel) {
  if (kernel->packed)
    kernel->prepack_free(kernel->packed);
  kernel->packed = NULL;
}

// What was made of the arguments as bound, and by runs on them.
static void unbind(cpu_kernel *kernel) {
  release_packed(kernel);
  if (kernel->has_run)
    release_results(kernel);
  kernel->has_run = false;
  for (size_t i = 0; i < kernel->signature->argument_count; ++i) {
    if (kernel->copies)
      tune_buffer_deinit(&kernel->copies[i]);
    if (kernel->descriptors) {
      free(kernel->descriptors[i]);
      kernel->descriptors[i] = NULL;
    }
  }
}

static void cpu_unload(tune_kernel *base) {
  if (!base)
    return;
  cpu_kernel *kernel = (cpu_kernel *)base;
  unbind(kernel);
  free(kernel->sources);
  free(kernel->copies);
  free(kernel->descriptors);
  free(kernel->pointers);
  free(kernel->results);
  if (kernel->library)
    dlclose(kernel->library);
  free(kernel);
}

static tune_status open_library(const cpu_target *cpu, const tune_artifact *artifact,
                                cpu_kernel *kernel) {
  const tune_signature *signature = artifact->signature;
  if (access(artifact->path, R_OK) != 0)
    return tune_status_from_errno(errno, "%s", artifact->path);
  // Threads of an OpenMP runtime stay behind in its code, so that is never unloaded.
  int mode = RTLD_NOW | RTLD_LOCAL | (cpu->threads > 1 ? RTLD_NODELETE : 0);
  kernel->library = dlopen(artifact->path, mode);
  if (!kernel->library)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "not an artifact: %s", dlerror());
  void *entry = dlsym(kernel->library, signature->entry);
  void *release = dlsym(kernel->library, "tune_runtime_free");
  if (!entry)
    return tune_status_make(TUNE_NOT_FOUND, "%s has no function %s", artifact->path,
                            signature->entry);
  if (!release && signature->result_count)
    return tune_status_make(TUNE_NOT_FOUND, "%s has results but no tune_runtime_free",
                            artifact->path);
  void *guard = dlsym(kernel->library, "tune_runtime_guard");
  void *overwritten = dlsym(kernel->library, "tune_runtime_overwritten");
  void *prepack = dlsym(kernel->library, "tune_prepack");
  void *prepack_free = dlsym(kernel->library, "tune_prepack_free");
  kernel->base.leaning = dlsym(kernel->library, "tune_leaning");
  kernel->base.task_times = dlsym(kernel->library, "tune_task_times");
  kernel->base.is_unordered = dlsym(kernel->library, "tune_unordered") != NULL;
  if (!prepack != !prepack_free)
    return tune_status_make(TUNE_NOT_FOUND, "%s has only one of tune_prepack and tune_prepack_free",
                            artifact->path);
  // ISO C has no cast from an object to a function; POSIX has this.
  memcpy(&kernel->entry, &entry, sizeof entry);
  memcpy(&kernel->free, &release, sizeof release);
  memcpy(&kernel->guard, &guard, sizeof guard);
  memcpy(&kernel->overwritten, &overwritten, sizeof overwritten);
  memcpy(&kernel->prepack, &prepack, sizeof prepack);
  memcpy(&kernel->prepack_free, &prepack_free, sizeof prepack_free);
  return TUNE_OK;
}

static tune_status cpu_load(tune_target *target, const tune_artifact *artifact,
                            tune_kernel **out_kernel) {
  *out_kernel = NULL;
  const tune_signature *signature = artifact->signature;
  cpu_kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel)
    return tune_status_out_of_memory("loading %s", artifact->path);
  kernel->base.methods = &tune_target_cpu;
  kernel->signature = signature;
  for (size_t i = 0; i < signature->result_count; ++i)
    kernel->results_size += descriptor_size(signature->results[i].rank);
  size_t count = signature->argument_count + 2; // the results, and what is packed
  kernel->sources = calloc(count, sizeof *kernel->sources);
  kernel->copies = calloc(count, sizeof *kernel->copies);
  kernel->descriptors = calloc(count, sizeof *kernel->descriptors);
  kernel->pointers = calloc(count, sizeof *kernel->pointers);
  kernel->results = calloc(1, kernel->results_size + 1);
  tune_status status = TUNE_OK;
  if (!kernel->sources || !kernel->copies || !kernel->descriptors || !kernel->pointers ||
      !kernel->results)
    status = tune_status_out_of_memory("loading %s", artifact->path);
  if (tune_status_is_ok(status))
    status = open_library((const cpu_target *)target, artifact, kernel);
  if (!tune_status_is_ok(status)) {
    cpu_unload(&kernel->base);
    return status;
  }
  *out_kernel = &kernel->base;
  return TUNE_OK;
}

static tune_status make_descriptor(const tune_buffer *buffer, descriptor **out_descriptor) {
  size_t rank = buffer->type.rank;
  descriptor *made = malloc(descriptor_size(rank));
  if (!made)
    return tune_status_out_of_memory("binding");
  made->allocated = made->aligned = buffer->data;
  made->offset = 0;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= buffer->type.shape[i]) {
    made->sizes_and_strides[i] = buffer->type.shape[i];
    made->sizes_and_strides[rank + i] = stride;
  }
  *out_descriptor = made;
  return TUNE_OK;
}

static tune_status bind_argument(cpu_kernel *kernel, size_t index, const tune_buffer *buffer) {
  const tune_value_type *type = &kernel->signature->arguments[index];
  if (buffer->type.element != type->element || buffer->type.is_scalar != type->is_scalar ||
      !tune_value_type_allows(type, buffer->type.rank, buffer->type.shape)) {
    char found[TUNE_VALUE_TYPE_TEXT], expected[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(&buffer->type, found);
    tune_value_type_to_text(type, expected);
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is %s, expected %s", found, expected);
  }
  kernel->sources[index] = buffer;
  const tune_buffer *used = buffer;
  if (type->is_readwrite) {
    TUNE_RETURN_IF_ERROR(tune_buffer_init_copy(&kernel->copies[index], buffer));
    used = &kernel->copies[index];
  }
  if (type->is_scalar) {
    kernel->pointers[index] = used->data;
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(make_descriptor(used, &kernel->descriptors[index]));
  kernel->pointers[index] = kernel->descriptors[index];
  return TUNE_OK;
}

static tune_status cpu_bind(tune_kernel *base, const tune_buffer *buffers, size_t count) {
  cpu_kernel *kernel = (cpu_kernel *)base;
  if (count != kernel->signature->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu arguments where %s takes %zu", count,
                            kernel->signature->entry, kernel->signature->argument_count);
  unbind(kernel);
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(bind_argument(kernel, i, &buffers[i]), "argument %zu", i));
  kernel->pointers[count] = kernel->results;
  return TUNE_OK;
}

//===- Running -----------------------------------------------------------------------===//

static void cpu_rewind(tune_kernel *base) {
  cpu_kernel *kernel = (cpu_kernel *)base;
  for (size_t i = 0; i < kernel->signature->argument_count; ++i)
    if (kernel->copies[i].data)
      memcpy(kernel->copies[i].data, kernel->sources[i]->data, kernel->copies[i].size);
}

// What is packed ahead is so once, and is no part of the time; but once more where what was packed
// is guarded, and lies at other places than it would.
static void pack(cpu_kernel *kernel, bool is_guarded) {
  if (!kernel->prepack || (kernel->packed && kernel->is_packed_guarded == is_guarded))
    return;
  release_packed(kernel);
  kernel->packed = kernel->prepack(kernel->pointers);
  kernel->is_packed_guarded = is_guarded;
  kernel->pointers[kernel->signature->argument_count + 1] = kernel->packed;
}

// Leaves NaN where the entry's frames will be, on this thread, but for what reading the clock takes
// of it: variables come out as that if they are read first. It has to be a function of its own,
// called from where the entry is; AddressSanitizer might put its array elsewhere. A small stack
// keeps most of itself.
static __attribute__((noinline, no_sanitize("address"))) void poison_stack(void) {
  struct rlimit limit;
  size_t size = STACK_POISONED;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur / 4 < size)
    size = limit.rlim_cur / 4;
  unsigned char *frames = __builtin_alloca(size);
  memset(frames, 0xff, size);
  __asm__ volatile("" : : "r"(frames) : "memory");
}

static tune_status cpu_time(tune_kernel *base, uint64_t repeats, double *out_seconds) {
  cpu_kernel *kernel = (cpu_kernel *)base;
  bool is_guarded = kernel->guard && !kernel->has_run;
  if (is_guarded)
    kernel->guard(true);
  pack(kernel, is_guarded);
  if (is_guarded)
    poison_stack();
  uint64_t start = tune_clock_nanoseconds();
  for (uint64_t i = 0; i < repeats; ++i) {
    release_results(kernel);
    kernel->entry(kernel->pointers);
  }
  *out_seconds = (double)(tune_clock_nanoseconds() - start) * 1e-9;
  if (is_guarded)
    kernel->guard(false);
  kernel->has_run = true;
  return TUNE_OK;
}

// Copies `rank` dimensions of strided elements to contiguous ones; returns the end of these.
static char *gather(char *to, const char *from, size_t element_size, size_t rank,
                    const int64_t *sizes, const int64_t *strides) {
  if (rank == 0 || (rank == 1 && strides[0] == 1)) {
    size_t bytes = element_size * (rank ? (size_t)sizes[0] : 1);
    memcpy(to, from, bytes);
    return to + bytes;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    to = gather(to, from + i * strides[0] * (int64_t)element_size, element_size, rank - 1,
                sizes + 1, strides + 1);
  return to;
}

static tune_status read_result(const cpu_kernel *kernel, size_t index, tune_buffer *out_buffer) {
  const char *at = kernel->results;
  for (size_t i = 0; i < index; ++i)
    at += descriptor_size(kernel->signature->results[i].rank);
  const descriptor *result = (const descriptor *)at;
  tune_value_type type = kernel->signature->results[index];
  const int64_t *sizes = result->sizes_and_strides;
  int64_t bytes = (int64_t)tune_element_type_size(type.element);
  for (size_t i = 0; i < type.rank; ++i)
    if (sizes[i] < 0 || __builtin_mul_overflow(bytes, sizes[i], &bytes))
      return tune_status_make(TUNE_DATA_LOSS, "it has the size %" PRId64 " in dimension %zu",
                              sizes[i], i);
  if (!tune_value_type_allows(&type, type.rank, sizes)) {
    char expected[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(&type, expected);
    return tune_status_make(TUNE_DATA_LOSS, "its shape does not fit %s", expected);
  }
  if (!result->aligned && bytes)
    return tune_status_make(TUNE_DATA_LOSS, "it has no memory");
  memcpy(type.shape, sizes, type.rank * sizeof *sizes);
  TUNE_RETURN_IF_ERROR(tune_buffer_init(out_buffer, &type));
  size_t element_size = tune_element_type_size(type.element);
  if (bytes)
    gather(out_buffer->data, result->aligned + result->offset * (int64_t)element_size, element_size,
           type.rank, sizes, sizes + type.rank);
  return TUNE_OK;
}

static tune_status cpu_read(const tune_kernel *base, size_t output, tune_buffer *out_buffer) {
  memset(out_buffer, 0, sizeof *out_buffer);
  const cpu_kernel *kernel = (const cpu_kernel *)base;
  if (!kernel->has_run)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has not run yet");
  size_t result;
  size_t argument = tune_signature_output_argument(kernel->signature, output, &result);
  if (argument != SIZE_MAX)
    return tune_buffer_init_copy(out_buffer, &kernel->copies[argument]);
  return tune_status_annotate(read_result(kernel, result, out_buffer), "result %zu", result);
}

static const tune_buffer *used_buffer(const cpu_kernel *kernel, size_t argument) {
  return kernel->copies[argument].data ? &kernel->copies[argument] : kernel->sources[argument];
}

static tune_status cpu_check(const tune_kernel *base) {
  const cpu_kernel *kernel = (const cpu_kernel *)base;
  for (size_t i = 0; i < kernel->signature->argument_count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(tune_buffer_check_guards(used_buffer(kernel, i)), "argument %zu", i));
  size_t overwritten = kernel->overwritten ? kernel->overwritten() : 0;
  if (overwritten)
    return tune_status_make(
        TUNE_DATA_LOSS, "%zu bytes around memory that it allocates were overwritten", overwritten);
  return TUNE_OK;
}

static tune_buffer_place cpu_locate(const tune_kernel *base, const void *address,
                                    size_t *out_argument) {
  const cpu_kernel *kernel = (const cpu_kernel *)base;
  for (size_t i = 0; i < kernel->signature->argument_count; ++i) {
    const tune_buffer *buffer = used_buffer(kernel, i);
    tune_buffer_place place = buffer ? tune_buffer_locate(buffer, address) : TUNE_BUFFER_ELSEWHERE;
    if (place != TUNE_BUFFER_ELSEWHERE) {
      *out_argument = i;
      return place;
    }
  }
  return TUNE_BUFFER_ELSEWHERE;
}

const tune_target_class tune_target_cpu = {
    .name = "cpu",
    .summary = "the CPU this program runs on; artifacts are shared objects",
    .open = cpu_open,
    .close = cpu_close,
    .fingerprint = cpu_fingerprint,
    .roofline = cpu_roofline,
    .load = cpu_load,
    .unload = cpu_unload,
    .bind = cpu_bind,
    .rewind = cpu_rewind,
    .time = cpu_time,
    .flush = cpu_flush_caches,
    .read = cpu_read,
    .check = cpu_check,
    .locate = cpu_locate,
};
