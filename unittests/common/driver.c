//===- driver.c - The program of a folder's unit tests ------------------------------===//
//
//   support_tests json_test    runs what json_test.c has, in this process
//   support_tests              runs all of them, each in a process of its own
//   support_tests --list       prints their names
//
//===--------------------------------------------------------------------------------===//

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define TEST(NAME) int NAME##_main(void);
#include TUNE_TEST_LIST
#undef TEST

static const struct {
  const char *name;
  int (*run)(void);
} tests[] = {
#define TEST(NAME) {#NAME, NAME##_main},
#include TUNE_TEST_LIST
#undef TEST
};

enum { COUNT = sizeof tests / sizeof *tests };

extern char **environ;

// Whether it passed.
static int run_apart(const char *name) {
  char *arguments[] = {"tests", (char *)name, NULL};
  pid_t child;
  int status;
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) != 0 ||
      waitpid(child, &status, 0) != child) {
    fprintf(stderr, "%s could not be run\n", name);
    return 0;
  }
  if (status != 0)
    fprintf(stderr, "%s FAILED\n", name);
  return status == 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--list") != 0) {
    for (int i = 0; i < COUNT; ++i)
      if (strcmp(tests[i].name, argv[1]) == 0)
        return tests[i].run();
    fprintf(stderr, "no test '%s'; --list prints their names\n", argv[1]);
    return 2;
  }
  int failed = 0;
  for (int i = 0; i < COUNT; ++i) {
    if (argc > 1)
      puts(tests[i].name);
    else
      failed += !run_apart(tests[i].name);
  }
  return failed > 0;
}
