//===- cuda_module.c - Loaded code of a CUDA device --------------------------===//

#include "targets/cuda/cuda_module.h"

#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SIZE 8192

// How cubins say which architecture they are for: in the flags' lowest byte, or, from version 8 of
// their ABI on (CUDA 13), in the one above.
#define EM_NVIDIA_CUDA 190
#define CUBIN_ABI_HIGH 8

static bool is_cubin(const tune_program_module *module) {
  return module->size >= sizeof(Elf64_Ehdr) && memcmp(module->code, ELFMAG, SELFMAG) == 0;
}

//===- Text -------------------------------------------------------------------------===//

// What follows the directive `name` in the PTX, or NULL; comments are not told apart, which lines
// that begin with a directive are not in.
static const char *find_directive(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += strspn(line, " \t\r\n");
    if (strncmp(line, name, length) == 0 && isspace((unsigned char)line[length]))
      return line + length + strspn(line + length, " \t");
  }
  return NULL;
}

static bool is_in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

// What follows the kernel's name where it is defined, or NULL.
static const char *find_entry(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(text, ".entry"); at; at = strstr(at, ".entry")) {
    at += strlen(".entry");
    at += strspn(at, " \t\r\n");
    if (strncmp(at, name, length) == 0 && !is_in_name(at[length]))
      return at + length;
  }
  return NULL;
}

static size_t count_parameters(const char *begin, const char *end) {
  size_t count = 0;
  for (const char *at = strstr(begin, ".param"); at && at < end; at = strstr(at + 1, ".param"))
    ++count;
  return count;
}

// The three numbers of directive `name`, which stands between `from` and `end`; of those that are
// not said 1. False where there is no such directive.
static bool read_sizes(const char *from, const char *end, const char *name, unsigned *out_size) {
  const char *directive = strstr(from, name);
  out_size[0] = out_size[1] = out_size[2] = 1;
  return directive && directive < end &&
         sscanf(directive + strlen(name), "%u , %u , %u", &out_size[0], &out_size[1],
                &out_size[2]) >= 1;
}

// `from` to `end` is what stands between a kernel's parameters and its body.
static tune_status check_group_size(const char *from, const char *end,
                                    const tune_program_step *launch) {
  unsigned size[3];
  if (!read_sizes(from, end, ".reqntid", size) ||
      (size[0] == launch->group_size[0] && size[1] == launch->group_size[1] &&
       size[2] == launch->group_size[2]))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "%s is made for groups of %u x %u x %u, not %u x %u x %u", launch->entry,
                          size[0], size[1], size[2], launch->group_size[0], launch->group_size[1],
                          launch->group_size[2]);
}

// The kernel says itself how large its clusters are, and an ordinary launch makes them.
static tune_status check_clusters(const char *from, const char *end,
                                  const tune_program_step *launch) {
  unsigned size[3];
  if (!read_sizes(from, end, ".reqnctapercluster", size))
    return TUNE_OK;
  bool divides = true;
  for (size_t i = 0; i < 3 && divides; ++i)
    divides = size[i] && launch->groups[i] % size[i] == 0;
  return divides ? TUNE_OK
                 : tune_status_make(TUNE_INVALID_ARGUMENT,
                                    "%s is made for clusters of %u x %u x %u groups, which do not "
                                    "divide %u x %u x %u",
                                    launch->entry, size[0], size[1], size[2], launch->groups[0],
                                    launch->groups[1], launch->groups[2]);
}

tune_status cuda_module_check_launch(const tune_program_module *module,
                                     const tune_program_step *launch) {
  if (is_cubin(module))
    return TUNE_OK;
  const char *text = module->code; // with a NUL: it has been loaded
  const char *entry = find_entry(text, launch->entry);
  if (!entry)
    return tune_status_make(TUNE_NOT_FOUND, "the module has no kernel %s", launch->entry);
  const char *body = entry + strcspn(entry, "{");
  // A kernel without parameters may lack the parentheses too.
  const char *open = entry + strspn(entry, " \t\r\n");
  const char *close = *open == '(' ? open + strcspn(open, ")") : open;
  size_t count = count_parameters(open, close);
  if (count != launch->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu arguments where %s takes %zu",
                            launch->argument_count, launch->entry, count);
  TUNE_RETURN_IF_ERROR(check_group_size(close, body, launch));
  return check_clusters(close, body, launch);
}

//===- Architectures ----------------------------------------------------------------===//

static tune_status wrong_architecture(const cuda_device *device, const char *what, int made_for,
                                      const char *suffix) {
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "%s for sm_%d%s, and the device is %s (%s): make it for cuda:%s", what,
                          made_for, suffix, device->fingerprint.gpu.arch, device->fingerprint.model,
                          device->fingerprint.gpu.arch);
}

// PTX runs on what it is for and on what comes later, but for that of which the name ends in 'a'
// (that device alone) or 'f' (its family).
static tune_status check_ptx(const cuda_device *device, const tune_program_module *module) {
  const char *text = module->code;
  if (module->size == 0 || text[module->size - 1] != '\0' || !find_directive(text, ".version"))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "it is neither PTX, with a NUL at its end, nor a cubin");
  const char *target = find_directive(text, ".target");
  int made_for = 0;
  char suffix = '\0';
  if (!target || sscanf(target, "sm_%d%c", &made_for, &suffix) < 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the PTX has no .target");
  int number = device->major * 10 + device->minor;
  bool runs = suffix == 'a'   ? made_for == number
              : suffix == 'f' ? made_for <= number && made_for / 10 == number / 10
                              : made_for <= number;
  if (runs)
    return TUNE_OK;
  const char text_of[2] = {suffix == 'a' || suffix == 'f' ? suffix : '\0', '\0'};
  return wrong_architecture(device, "the PTX is", made_for, text_of);
}

// A cubin runs on devices of the same major number and the same minor one, or a higher.
static tune_status check_cubin(const cuda_device *device, const tune_program_module *module) {
  Elf64_Ehdr header;
  memcpy(&header, module->code, sizeof header);
  if (header.e_machine != EM_NVIDIA_CUDA)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is an ELF file, but no cubin");
  bool is_high = header.e_ident[EI_ABIVERSION] >= CUBIN_ABI_HIGH;
  int made_for = (int)(header.e_flags >> (is_high ? 8 : 0) & 0xff);
  if (made_for / 10 == device->major && made_for % 10 <= device->minor)
    return TUNE_OK;
  return wrong_architecture(device, "the cubin is", made_for, "");
}

//===- Loading ----------------------------------------------------------------------===//

static tune_status refuse_version(const cuda_device *device, const tune_program_module *module) {
  int major = 0, minor = 0;
  sscanf(find_directive(module->code, ".version"), "%d.%d", &major, &minor);
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "the PTX is of version %d.%d, which the driver, of CUDA %s, does not know "
      "yet: update NVIDIA's driver",
      major, minor, device->fingerprint.gpu.api);
}

// What a driver says of code that it does not take is said of that, unless memory ran out.
static tune_status refusal(const cuda_device *device, const tune_program_module *module,
                           CUresult result, const char *log) {
  const cuda_functions *f = &device->functions;
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    return refuse_version(device, module);
  if (result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "the driver has no compiler of PTX: libnvidia-ptxjitcompiler.so.1 is "
                            "missing; install NVIDIA's driver as a whole");
  tune_status status = cuda_status(f, result, "the driver refuses the code");
  if (tune_status_get_code(status) != TUNE_INTERNAL)
    return status;
  tune_status_free(status);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "the driver refuses the code: %s%s%s",
                          cuda_result_name(f, result), *log ? ": " : "", log);
}

// What the program says to the compiler goes behind the `count` options that are there.
static unsigned add_options(const tune_program_module *module, unsigned count,
                            CUjit_option *options, void **values) {
  static const uintptr_t CACHES[] = {[TUNE_PROGRAM_CACHE_CG] = CU_JIT_CACHE_OPTION_CG,
                                     [TUNE_PROGRAM_CACHE_CA] = CU_JIT_CACHE_OPTION_CA};
  if (module->opt_level) {
    options[count] = CU_JIT_OPTIMIZATION_LEVEL;
    values[count++] = (void *)(uintptr_t)module->opt_level;
  }
  if (module->load_cache != TUNE_PROGRAM_CACHE_DEFAULT) {
    options[count] = CU_JIT_CACHE_MODE;
    values[count++] = (void *)CACHES[module->load_cache];
  }
  return count;
}

tune_status cuda_module_load(const cuda_device *device, const tune_program_module *module,
                             CUmodule *out_module) {
  *out_module = NULL;
  TUNE_RETURN_IF_ERROR((is_cubin(module) ? check_cubin : check_ptx)(device, module));
  if (is_cubin(module) && (module->opt_level || module->load_cache != TUNE_PROGRAM_CACHE_DEFAULT))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"opt_level\" and \"load_cache\" are for PTX, and it is a cubin");
  char *log = calloc(1, LOG_SIZE);
  if (!log)
    return tune_status_out_of_memory("loading a module");
  CUjit_option options[4] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[4] = {log, (void *)(uintptr_t)(LOG_SIZE - 1)};
  CUmodule loaded = NULL;
  unsigned count = add_options(module, 2, options, values);
  CUresult result =
      device->functions.ModuleLoadDataEx(&loaded, module->code, count, options, values);
  tune_status status = TUNE_OK;
  if (result == CUDA_SUCCESS)
    *out_module = loaded;
  else
    status = refusal(device, module, result, log);
  free(log);
  return status;
}
