//===- sandbox.c - Confinement of child processes ----------------------------===//

#include "support/sandbox.h"

#include "support/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Newer than Debian 12's headers.
#define LANDLOCK_FS_TRUNCATE (1ULL << 14)           // of version 3
#define LANDLOCK_SCOPE_ABSTRACT_SOCKETS (1ULL << 0) // of version 6, as the next
#define LANDLOCK_SCOPE_SIGNALS (1ULL << 1)
#define SIGNALS_VERSION 6

//===--------------------------------------------------------------------------===//
// System calls
//===--------------------------------------------------------------------------===//

#define ROW_LENGTH 8 // instructions, at most

typedef struct filter {
  struct sock_filter *code;
  size_t count;
} filter;

static void emit(filter *f, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false) {
  f->code[f->count++] = (struct sock_filter){code, if_true, if_false, k};
}

static void load(filter *f, size_t offset) {
  emit(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

// What becomes of a call of row `call`; SECCOMP_RET_ALLOW where the row is not of this sandbox.
static uint32_t action_of(const tune_call *call, const tune_sandbox_options *options) {
  bool is_build = options->kind == TUNE_SANDBOX_BUILD;
  uint32_t refusal =
      options->kind == TUNE_SANDBOX_RUN ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM;
  switch (call->use) {
  case TUNE_CALL_HARM:
    return refusal;
  case TUNE_CALL_START:
    return is_build ? SECCOMP_RET_ALLOW : refusal;
  case TUNE_CALL_HIDDEN:
    return is_build ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOSYS;
  case TUNE_CALL_CHANGE:
    return options->kind == TUNE_SANDBOX_RUN && options->writable_count == 0
               ? SECCOMP_RET_ERRNO | EACCES
               : SECCOMP_RET_ALLOW;
  case TUNE_CALL_OWNER:
    return is_build ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM;
  default:
    return SECCOMP_RET_ERRNO | EPERM;
  }
}

// The accumulator holds the call's number, before and after.
static void emit_row(filter *f, const tune_call *call, uint32_t action) {
  if (action == SECCOMP_RET_ALLOW)
    return;
  if (call->test == TUNE_CALL_ALWAYS) {
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 1);
    emit(f, BPF_RET | BPF_K, action, 0, 0);
    return;
  }
  size_t jump = f->count;
  emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 0);
  load(f, offsetof(struct seccomp_data, args) + 4 * call->word);
  switch (call->test) {
  case TUNE_CALL_ANY_BIT:
    emit(f, BPF_JMP | BPF_JSET | BPF_K, call->value, 0, 1);
    break;
  case TUNE_CALL_NO_BIT:
    emit(f, BPF_JMP | BPF_JSET | BPF_K, call->value, 1, 0);
    break;
  case TUNE_CALL_EQUAL:
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, call->value, 0, 1);
    break;
  case TUNE_CALL_NOT_EQUAL:
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, call->value, 1, 0);
    break;
  default:
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0);
    break;
  }
  emit(f, BPF_RET | BPF_K, action, 0, 0);
  load(f, offsetof(struct seccomp_data, nr));
  f->code[jump].jf = (uint8_t)(f->count - jump - 1);
}

// Whether an older kernel, or a container's runtime, answers so to what it does not have. Any other
// failure is none to go on after.
static bool is_missing(int error) {
  return error == ENOSYS || error == EOPNOTSUPP || error == EINVAL || error == EPERM ||
         error == EACCES;
}

#ifdef ARCHITECTURE
static bool can_filter_calls(void) {
  uint32_t action = SECCOMP_RET_TRAP;
  return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static tune_status filter_calls(const tune_sandbox_options *options) {
  if (!can_filter_calls())
    return is_missing(errno) ? TUNE_OK : tune_status_from_errno(errno, "entering the sandbox");
  filter f = {.code = calloc(ROW_LENGTH * (tune_call_count + 2), sizeof *f.code)};
  if (!f.code)
    return tune_status_out_of_memory("entering the sandbox");
  // Another architecture's numbers mean other calls.
  load(&f, offsetof(struct seccomp_data, arch));
  emit(&f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  emit(&f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  load(&f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  emit(&f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // those of x32
  emit(&f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
  for (size_t i = 0; i < tune_call_count; ++i)
    emit_row(&f, &tune_calls[i], action_of(&tune_calls[i], options));
  emit(&f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  struct sock_fprog program = {(unsigned short)f.count, f.code};
  // Without the flag older kernels also slow down speculation, which would be in every figure.
  long failed =
      syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
  int error = errno;
  free(f.code);
  return failed ? tune_status_from_errno(error, "filtering system calls") : TUNE_OK;
}
#else
static bool can_filter_calls(void) { return false; }

static tune_status filter_calls(const tune_sandbox_options *options) {
  (void)options;
  return TUNE_OK;
}
#endif

const char *tune_sandbox_call_name(int call) {
  for (size_t i = 0; i < tune_call_count; ++i)
    if (tune_calls[i].number == call)
      return tune_calls[i].name;
  return NULL;
}

//===--------------------------------------------------------------------------===//
// Files
//===--------------------------------------------------------------------------===//

// As of version 6. Older kernels take a prefix of it where what they do not know is 0.
typedef struct ruleset {
  uint64_t files, network, scopes;
} ruleset;

static long landlock_version(void) {
  return syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

// All that changes a file or a folder; reading and executing are not handled, and so allowed.
static uint64_t changes(long version) {
  uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2)
    rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3)
    rights |= LANDLOCK_FS_TRUNCATE;
  return rights;
}

// `path` need not exist.
static void allow(int rules, const char *path, uint64_t rights) {
  struct landlock_path_beneath_attr rule = {.allowed_access = rights,
                                            .parent_fd = open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent_fd < 0)
    return;
  // What the kernel refuses stays forbidden.
  syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(rule.parent_fd);
}

// The caches that drivers keep of what they compile, and their devices.
static void allow_driver(int rules, uint64_t rights) {
  static const char *const DEVICES[] = {"/dev/dri",
                                        "/dev/kfd",
                                        "/dev/nvidiactl",
                                        "/dev/nvidia0",
                                        "/dev/nvidia1",
                                        "/dev/nvidia2",
                                        "/dev/nvidia3",
                                        "/dev/nvidia4",
                                        "/dev/nvidia5",
                                        "/dev/nvidia6",
                                        "/dev/nvidia7",
                                        "/dev/nvidia-uvm",
                                        "/dev/nvidia-uvm-tools",
                                        "/dev/nvidia-modeset",
                                        "/dev/udmabuf"};
  static const char *const IN_CACHE[] = {"mesa_shader_cache", "mesa_shader_cache_db",
                                         "radv_builtin_shaders64", "nvidia"};
  uint64_t file_rights = rights & (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_FS_TRUNCATE);
  char path[4096];
  const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");
  const char *own[] = {getenv("CUDA_CACHE_PATH"), getenv("MESA_SHADER_CACHE_DIR"),
                       getenv("__GL_SHADER_DISK_CACHE_PATH")};
  for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; ++i)
    allow(rules, DEVICES[i], file_rights);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    if (own[i] && *own[i])
      allow(rules, own[i], rights);
  for (size_t i = 0; i < sizeof IN_CACHE / sizeof *IN_CACHE && (home || cache); ++i) {
    snprintf(path, sizeof path, "%s%s/%s",
             cache && *cache ? cache
             : home          ? home
                             : "",
             cache && *cache ? "" : "/.cache", IN_CACHE[i]);
    allow(rules, path, rights);
  }
  snprintf(path, sizeof path, "%s/.nv", home ? home : "");
  if (home)
    allow(rules, path, rights);
}

static tune_status confine_files(const tune_sandbox_options *options) {
  long version = landlock_version();
  if (version < 1)
    return is_missing(errno) ? TUNE_OK : tune_status_from_errno(errno, "confining files");
  uint64_t rights = changes(version);
  ruleset set = {.files = rights};
  if (version >= SIGNALS_VERSION)
    set.scopes = LANDLOCK_SCOPE_ABSTRACT_SOCKETS | LANDLOCK_SCOPE_SIGNALS;
  int rules = (int)syscall(__NR_landlock_create_ruleset, &set, sizeof set, 0);
  if (rules < 0)
    return tune_status_from_errno(errno, "confining files");
  allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
  if (options->kind == TUNE_SANDBOX_DRIVER)
    allow_driver(rules, rights);
  for (size_t i = 0; i < options->writable_count; ++i)
    allow(rules, options->writable[i], rights);
  long failed = syscall(__NR_landlock_restrict_self, rules, 0);
  int error = errno;
  close(rules);
  return failed ? tune_status_from_errno(error, "confining files") : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

tune_status tune_sandbox_enter(const tune_sandbox_options *options) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return tune_status_from_errno(errno, "entering the sandbox");
  TUNE_RETURN_IF_ERROR(confine_files(options));
  return filter_calls(options);
}

tune_status tune_sandbox_describe(char **out_missing) {
  *out_missing = NULL;
  long version = landlock_version();
  const char *calls = can_filter_calls() ? ""
                                         : "no seccomp filters: candidates may use the network "
                                           "and start programs";
  const char *files =
      version < 1 ? "no Landlock: builds and drivers may write wherever this user may" : "";
  if (!*calls && !*files)
    return TUNE_OK;
  int length =
      asprintf(out_missing, "this system has %s%s%s", calls, *calls && *files ? "; " : "", files);
  return length < 0 ? tune_status_out_of_memory("describing the sandbox") : TUNE_OK;
}

void tune_sandbox_close_descriptors(const int *kept, size_t count) {
  // The next one to keep, until there is none.
  for (unsigned from = 3;;) {
    unsigned to = ~0u;
    for (size_t i = 0; i < count; ++i)
      if (kept[i] >= 0 && (unsigned)kept[i] >= from && (unsigned)kept[i] < to)
        to = (unsigned)kept[i];
    if (to > from)
      close_range(from, to == ~0u ? to : to - 1, 0);
    if (to == ~0u)
      return;
    from = to + 1;
  }
}
