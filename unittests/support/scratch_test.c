//===- scratch_test.c -----------------------------------------------------------===//

#include "support/scratch.h"

#include "support/file.h"
#include "support/sandbox.h"
#include "unittests/common/failing_malloc.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char parent[64];

// Each test has a TMPDIR of its own.
static int enter_folder(void **state) {
  (void)state;
  strcpy(parent, "/tmp/tune-scratch-test-XXXXXX");
  return !mkdtemp(parent) || setenv("TMPDIR", parent, 1) != 0;
}

static int leave_folder(void **state) {
  (void)state;
  unsetenv("TMPDIR");
  tune_status status = tune_file_remove_tree(parent);
  int failed = !tune_status_is_ok(status);
  tune_status_free(status);
  return failed;
}

static int count_entries(void) {
  DIR *directory = opendir(parent);
  assert_non_null(directory);
  int count = -2; // "." and ".."
  while (readdir(directory))
    ++count;
  closedir(directory);
  return count;
}

static void is_private_fresh_and_removed(void **state) {
  (void)state;
  tune_scratch *a, *b;
  assert_null(tune_scratch_create(&a));
  assert_null(tune_scratch_create(&b));
  assert_string_not_equal(tune_scratch_get_path(a), tune_scratch_get_path(b));
  assert_int_equal(strncmp(tune_scratch_get_path(a), parent, strlen(parent)), 0);
  struct stat info;
  assert_int_equal(stat(tune_scratch_get_path(a), &info), 0);
  assert_int_equal(info.st_mode & 07777, 0700);
  char path[256];
  snprintf(path, sizeof path, "%s/x/y", tune_scratch_get_path(a));
  assert_null(tune_file_make_folders(path, 0777));
  assert_int_equal(count_entries(), 2);
  tune_scratch_destroy(a);
  assert_int_equal(count_entries(), 1);
  tune_scratch_destroy(b);
  assert_int_equal(count_entries(), 0);
  tune_scratch_destroy(NULL);
}

// The id of this process's only child, which is the keeper.
static pid_t find_keeper(void) {
  FILE *file = fopen("/proc/thread-self/children", "r");
  int id = 0;
  if (!file || fscanf(file, "%d", &id) != 1)
    id = 0;
  if (file)
    fclose(file);
  return id;
}

typedef enum end { END_KILLED, END_KILLED_WITH_KEEPER, END_AFTER_SIGNALS, END_WRITTEN_TO } end;

// Outlives its parent, and writes into the folder for a while, or until that is gone.
static void write_for_a_while(const char *folder) {
  if (fork() != 0)
    return;
  tune_sandbox_close_descriptors(NULL, 0);
  char path[512];
  for (int i = 0; i < 100; ++i) {
    snprintf(path, sizeof path, "%s/%d", folder, i);
    FILE *file = fopen(path, "w");
    if (!file)
      break;
    fclose(file);
    usleep(1000);
  }
  _exit(0);
}

static _Noreturn void own_a_folder_and_end(end how) {
  tune_scratch *left;
  if (!tune_status_is_ok(tune_scratch_create(&left)))
    _exit(1);
  pid_t keeper = find_keeper();
  if (keeper <= 0)
    _exit(2);
  if (how == END_KILLED_WITH_KEEPER) {
    kill(keeper, SIGKILL);
    waitpid(keeper, NULL, 0); // until then it has the folder's lock
  }
  if (how == END_AFTER_SIGNALS) {
    kill(-keeper, SIGINT);
    kill(-keeper, SIGTERM);
    kill(-keeper, SIGHUP);
    usleep(20000);
    if (access(tune_scratch_get_path(left), F_OK) != 0 || find_keeper() != keeper)
      _exit(3);
  }
  if (how == END_WRITTEN_TO)
    write_for_a_while(tune_scratch_get_path(left));
  raise(SIGKILL);
  _exit(4);
}

static void own_a_folder_and_be_killed(end how) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0)
    own_a_folder_and_end(how);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
}

// The keeper removes the folder of a process that was killed, whatever signals reached it before,
// and whoever writes into the folder still.
static void what_a_killed_process_had_is_gone_soon(void **state) {
  (void)state;
  static const end ENDS[] = {END_KILLED, END_AFTER_SIGNALS, END_WRITTEN_TO};
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; ++i) {
    own_a_folder_and_be_killed(ENDS[i]);
    while (count_entries() > 0)
      usleep(1000);
  }
}

// Killed together with its keeper it leaves a folder; the next create removes that one, but not one
// whose owner lives.
static void what_nobody_keeps_is_swept_away(void **state) {
  (void)state;
  own_a_folder_and_be_killed(END_KILLED_WITH_KEEPER);
  assert_int_equal(count_entries(), 1);
  tune_scratch *living, *another;
  assert_null(tune_scratch_create(&living));
  assert_int_equal(count_entries(), 1);
  kill(find_keeper(), SIGKILL);
  assert_null(tune_scratch_create(&another));
  assert_int_equal(access(tune_scratch_get_path(living), F_OK), 0);
  tune_scratch_destroy(living);
  tune_scratch_destroy(another);
}

static void may_be_in_another_folder(void **state) {
  (void)state;
  char folder[128];
  snprintf(folder, sizeof folder, "%s/there", parent);
  assert_null(tune_file_make_folders(folder, 0777));
  tune_scratch *scratch;
  assert_null(tune_scratch_create_in(folder, &scratch));
  assert_int_equal(strncmp(tune_scratch_get_path(scratch), folder, strlen(folder)), 0);
  tune_scratch_destroy(scratch);
  assert_int_equal(rmdir(folder), 0);
}

static void a_wrong_tmpdir_is_named(void **state) {
  (void)state;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  tune_scratch *scratch;
  tune_status status = tune_scratch_create(&scratch);
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  assert_non_null(strstr(tune_status_get_message(status), "/nowhere/at/all"));
  tune_status_free(status);
}

static tune_status create_and_destroy(void *context) {
  (void)context;
  tune_scratch *scratch;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&scratch));
  tune_scratch_destroy(scratch);
  return TUNE_OK;
}

static void running_out_of_memory_leaves_nothing(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(create_and_destroy, NULL) >= 3);
  assert_int_equal(count_entries(), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(is_private_fresh_and_removed),    IN_FOLDER(what_a_killed_process_had_is_gone_soon),
      IN_FOLDER(what_nobody_keeps_is_swept_away), IN_FOLDER(may_be_in_another_folder),
      IN_FOLDER(a_wrong_tmpdir_is_named),         IN_FOLDER(running_out_of_memory_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
