//===- process_child.c - What process_test starts -----------------------------------===//
//
// process_child WHAT [ARGUMENT]: does one thing that a started program may do.
//
//===--------------------------------------------------------------------------===//

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Says which descriptors it has, apart from the one it looks with.
static int list_descriptors(void) {
  DIR *directory = opendir("/proc/self/fd");
  if (!directory)
    return 1;
  for (struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
      printf("%s ", entry->d_name);
  return closedir(directory);
}

// Says which signals are blocked and which ignored.
static int list_signals(void) {
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < 32; ++number) {
    struct sigaction action;
    sigaction(number, NULL, &action);
    if (sigismember(&blocked, number) == 1 || action.sa_handler == SIG_IGN)
      printf("%s ", sigabbrev_np(number));
  }
  return 0;
}

static int write_without_end(void) {
  char bytes[65536];
  memset(bytes, 'x', sizeof bytes);
  while (write(STDERR_FILENO, bytes, sizeof bytes) > 0) {
  }
  return 7;
}

// Leaves a child in the background, which holds this program's stdout.
static int leave_a_child(void) {
  if (fork() == 0)
    pause();
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "exit") == 0)
    return atoi(argv[2]);
  if (strcmp(what, "say") == 0) {
    fprintf(stderr, "%s\n", argv[2]);
    return 1;
  }
  if (strcmp(what, "both") == 0) {
    printf("one ");
    fflush(stdout);
    fprintf(stderr, "two ");
    printf("three");
    return 0;
  }
  if (strcmp(what, "descriptors") == 0)
    return list_descriptors();
  if (strcmp(what, "signals") == 0)
    return list_signals();
  if (strcmp(what, "environment") == 0)
    return printf("%s", getenv(argv[2]) ? getenv(argv[2]) : "(unset)") < 0;
  if (strcmp(what, "where") == 0)
    return puts(getcwd((char[4096]){0}, 4096)) < 0;
  if (strcmp(what, "crash") == 0)
    return raise(SIGSEGV);
  if (strcmp(what, "killed") == 0) // as long as there is the file, which is removed, or for ever
    return !*argv[2] || unlink(argv[2]) == 0 ? raise(SIGKILL) : 0;
  if (strcmp(what, "hang") == 0)
    return pause();
  if (strcmp(what, "refuse") == 0) {
    signal(SIGTERM, SIG_IGN);
    puts("ready");
    fflush(stdout);
    for (;;)
      pause();
  }
  if (strcmp(what, "flood") == 0)
    return write_without_end();
  if (strcmp(what, "leave-a-child") == 0)
    return leave_a_child();
  if (strcmp(what, "leave-its-group") == 0)
    return setpgid(0, getpgid(getppid())) != 0 || write(STDOUT_FILENO, "!", 1) != 1 || pause();
  fprintf(stderr, "process_child: what is '%s'?\n", what);
  return 2;
}
