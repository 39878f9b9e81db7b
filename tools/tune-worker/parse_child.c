//===- parse_child.c ------------------------------------------------------------===//

#include "tools/tune-worker/parse_child.h"

#include "transforms/ir/ir.h"

#include "llvm-c/ErrorHandling.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// A crash says first what was being done. Of what comes then as much is kept as a pipe holds.
#define LOG_LIMIT 16384
// What precedes the name of an op in it, innermost op last.
#define PARSING "MLIR Parser: custom op parser '"

_Noreturn static void run_child(MlirContext context, const char *text, const char *source,
                                pid_t parent, int log) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1); // it died between fork and prctl
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  signal(SIGINT, SIG_IGN); // Ctrl-C on the terminal is the driver's to handle
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  LLVMEnablePrettyStackTrace();
  MlirOperation module;
  tune_ir_parse(context, text, source, &module);
  _exit(0);
}

// Reads `log` to its end. Reading goes on where no more is kept, or the child would wait.
static void read_log(int log, char *kept) {
  size_t size = 0;
  char rest[4096];
  for (;;) {
    bool is_kept = size < LOG_LIMIT - 1;
    ssize_t count =
        is_kept ? read(log, kept + size, LOG_LIMIT - 1 - size) : read(log, rest, sizeof rest);
    if (count == 0 || (count < 0 && errno != EINTR))
      break;
    if (count > 0 && is_kept)
      size += (size_t)count;
  }
  // Upstream puts NULs after names.
  for (size_t i = 0; i < size; ++i)
    kept[i] = kept[i] ? kept[i] : ' ';
  kept[size] = '\0';
}

static tune_status describe_crash(const char *log, const char *source, int signal) {
  const char *name = NULL;
  for (const char *at = log; (at = strstr(at, PARSING)); name = at)
    at += strlen(PARSING);
  const char *end = name ? strchr(name, '\'') : NULL;
  const char *signal_name = sigabbrev_np(signal);
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "%s: upstream's parser was killed by SIG%s%s%.*s; mlir-opt reads it no "
                          "better: write what it is at another way",
                          source, signal_name ? signal_name : "?", end ? " at " : "",
                          end ? (int)(end - name) : 0, end ? name : "");
}

tune_status parse_child_run(MlirContext context, const char *text, const char *source) {
  int log[2], ended = 0;
  if (pipe2(log, O_CLOEXEC) != 0)
    return tune_status_from_errno(errno, "parsing %s", source);
  pid_t parent = getpid(), child = fork();
  if (child == 0)
    run_child(context, text, source, parent, log[1]);
  int failure = errno;
  close(log[1]);
  char *kept = child > 0 ? malloc(LOG_LIMIT) : NULL;
  if (kept)
    read_log(log[0], kept);
  close(log[0]);
  if (child < 0)
    return tune_status_from_errno(failure, "parsing %s", source);
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  tune_status status = TUNE_OK;
  if (!kept)
    status = tune_status_out_of_memory("parsing %s", source);
  else if (WIFSIGNALED(ended) && WTERMSIG(ended) != SIGKILL) // that is somebody else's doing
    status = describe_crash(kept, source, WTERMSIG(ended));
  free(kept);
  return status;
}
