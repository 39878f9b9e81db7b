//===- guarded_build.c --------------------------------------------------------===//

#include "tools/tune-worker/guarded_build.h"

#include "support/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn static void run_child(tune_status (*run)(void *user), void *user, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1); // it died between fork and prctl
  tune_status_free(run(user));
  _exit(0);
}

tune_status guarded_build_try(tune_status (*run)(void *user), void *user) {
  pid_t parent = getpid(), child = fork();
  if (child == 0)
    run_child(run, user, parent);
  if (child < 0)
    return tune_status_from_errno(errno, "trying a build");
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0)
    if (errno != EINTR)
      return tune_status_from_errno(errno, "trying a build");
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
    return TUNE_OK;
  bool by_signal = WIFSIGNALED(wait_status);
  char how[64];
  tune_process_exit_describe(
      (tune_process_exit){.by_signal = by_signal,
                          .code = by_signal ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status)},
      how);
  return tune_status_make(TUNE_INTERNAL, "the build %s", how);
}
