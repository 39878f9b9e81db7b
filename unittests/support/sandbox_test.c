//===- sandbox_test.c - What a child may do to the rest of the machine ---------------===//
//
// Each attempt is made in a child, in the sandbox; that it would have succeeded outside is seen in
// another child.
//
//===--------------------------------------------------------------------------===//

#include "support/sandbox.h"

#include "support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// What an attempt came to.
#define DONE 0
#define DENIED 10   // by EPERM, EACCES or ENOSYS
#define FAILED 11   // for another reason
#define TRAPPED 12  // by SIGSYS
#define ANYTHING 13 // by the version of Landlock

static char folder[64], outside[80], inside[80];

static int of_errno(bool succeeded) {
  if (succeeded)
    return DONE;
  bool is_denied = errno == EPERM || errno == EACCES || errno == ENOSYS;
  return is_denied ? DENIED : FAILED;
}

static int open_socket(void) { return of_errno(socket(AF_INET, SOCK_STREAM, 0) >= 0); }
static int open_unix_socket(void) { return of_errno(socket(AF_UNIX, SOCK_STREAM, 0) >= 0); }
static int make_pair(void) {
  int ends[2];
  return of_errno(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
}
static int write_outside(void) { return of_errno(open(outside, O_WRONLY | O_CREAT, 0600) >= 0); }
static int write_inside(void) { return of_errno(open(inside, O_WRONLY | O_CREAT, 0600) >= 0); }
static int make_folder(void) { return of_errno(mkdir(outside, 0700) == 0); }
static int change_mode(void) { return of_errno(chmod(folder, 0700) == 0); }
static int read_file(void) { return of_errno(open("/proc/self/exe", O_RDONLY) >= 0); }
static int start_program(void) {
  execl("/bin/true", "true", (char *)NULL);
  return of_errno(false);
}
static int call_shell(void) {
  int status = system("exit 0");
  return of_errno(status == 0);
}
static int start_process(void) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  return of_errno(pid > 0 && waitpid(pid, NULL, 0) == pid);
}
static int signal_parent(void) { return of_errno(kill(getppid(), 0) == 0); }
static int signal_self(void) { return of_errno(kill(getpid(), 0) == 0); }
static int raise_limits(void) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  return of_errno(setrlimit(RLIMIT_CORE, &limit) == 0);
}
static int read_limits(void) {
  struct rlimit limit;
  return of_errno(getrlimit(RLIMIT_STACK, &limit) == 0);
}
static int leave_group(void) { return of_errno(setpgid(0, 0) == 0); }

static void *do_nothing(void *argument) { return argument; }

static int start_thread(void) {
  pthread_t thread;
  errno = pthread_create(&thread, NULL, do_nothing, NULL);
  return of_errno(errno == 0 && pthread_join(thread, NULL) == 0);
}

static int attempt(int (*what)(void), const tune_sandbox_options *options) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    signal(SIGSYS, SIG_DFL);
    if (options && !tune_status_is_ok(tune_sandbox_enter(options)))
      _exit(99);
    _exit(what());
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGSYS ? TRAPPED : FAILED;
  return WEXITSTATUS(status);
}

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/tune_sandbox_test.XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(inside, sizeof inside, "%s/in", folder);
  snprintf(outside, sizeof outside, "%s.out", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(outside);
  assert_ok(tune_file_remove_tree(folder));
  return 0;
}

// Whether all of it is here; where not, the tests say so and look at nothing.
static bool is_complete(void) {
  char *missing;
  assert_ok(tune_sandbox_describe(&missing));
  if (missing)
    print_message("skipped: %s\n", missing);
  bool complete = !missing;
  free(missing);
  return complete;
}

static const struct {
  int (*what)(void);
  int run, driver, build; // what it comes to
} attempts[] = {
    {open_socket, TRAPPED, DENIED, DENIED}, {open_unix_socket, TRAPPED, DENIED, DENIED},
    {make_pair, DONE, DONE, DONE},          {write_outside, DENIED, DENIED, DENIED},
    {write_inside, DENIED, DONE, DONE},     {make_folder, DENIED, DENIED, DENIED},
    {change_mode, DENIED, DENIED, DONE},    {read_file, DONE, DONE, DONE},
    {start_program, TRAPPED, DENIED, DONE}, {start_process, TRAPPED, DENIED, DONE},
    {signal_self, DONE, DONE, DONE},        {signal_parent, TRAPPED, DENIED, ANYTHING},
    {raise_limits, DENIED, DENIED, DENIED}, {read_limits, DONE, DONE, DONE},
    {leave_group, TRAPPED, DENIED, DONE},   {start_thread, DONE, DONE, DONE},
};

static void check(tune_sandbox_kind kind, const char *const *writable, size_t index, int expected) {
  const tune_sandbox_options options = {
      .kind = kind, .writable = writable, .writable_count = writable ? 1 : 0};
  if (expected == ANYTHING)
    return;
  int found = attempt(attempts[index].what, &options);
  // It was possible outside, or would say nothing here.
  if (expected != DONE)
    assert_int_equal(attempt(attempts[index].what, NULL), DONE);
  remove(inside);
  remove(outside);
  if (found != expected)
    fail_msg("attempt %zu in a sandbox of kind %d: expected %d, got %d", index, (int)kind, expected,
             found);
}

static void what_is_forbidden_fails(void **state) {
  (void)state;
  if (!is_complete())
    skip();
  const char *const writable[] = {folder};
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; ++i) {
    check(TUNE_SANDBOX_RUN, NULL, i, attempts[i].run);
    check(TUNE_SANDBOX_DRIVER, writable, i, attempts[i].driver);
    check(TUNE_SANDBOX_BUILD, writable, i, attempts[i].build);
  }
}

// What a program starts is in the sandbox, too.
static int write_by_shell(void) {
  char command[160];
  snprintf(command, sizeof command, "echo x 2>/dev/null > %s", outside);
  return system(command) == 0 ? DONE : DENIED;
}

static void what_a_build_starts_is_confined(void **state) {
  (void)state;
  if (!is_complete())
    skip();
  const tune_sandbox_options options = {.kind = TUNE_SANDBOX_BUILD};
  assert_int_equal(attempt(call_shell, &options), DONE);
  assert_int_equal(attempt(write_by_shell, &options), DENIED);
  assert_int_not_equal(access(outside, F_OK), 0);
  assert_int_equal(attempt(write_by_shell, NULL), DONE);
  unlink(outside);
}

static void forbidden_calls_have_names(void **state) {
  (void)state;
  assert_string_equal(tune_sandbox_call_name(SYS_socket), "socket");
  assert_null(tune_sandbox_call_name(SYS_getpid));
}

static void descriptors_are_closed_but_for_the_kept(void **state) {
  (void)state;
  int fds[6];
  for (size_t i = 0; i < 6; ++i)
    fds[i] = open("/dev/null", O_RDONLY);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    const int kept[] = {fds[4], -1, fds[1], 0};
    tune_sandbox_close_descriptors(kept, 4);
    int open_fds = 0;
    for (int i = 0; i < 6; ++i)
      open_fds |= (fcntl(fds[i], F_GETFD) >= 0) << i;
    _exit(open_fds);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1 << 4 | 1 << 1);
  for (size_t i = 0; i < 6; ++i)
    close(fds[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_forbidden_fails, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_a_build_starts_is_confined, set_up, tear_down),
      cmocka_unit_test(forbidden_calls_have_names),
      cmocka_unit_test(descriptors_are_closed_but_for_the_kept),
  };
  return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
