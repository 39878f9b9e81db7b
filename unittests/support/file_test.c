//===- file_test.c --------------------------------------------------------------===//

#include "support/file.h"

#include "unittests/common/failing_malloc.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

// Every test gets an empty folder and works in it.
static int enter_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/tune-file-test-XXXXXX");
  return !mkdtemp(folder) || chdir(folder) != 0;
}

static int leave_folder(void **state) {
  (void)state;
  tune_status status = tune_file_remove_tree(folder);
  int failed = chdir("/") != 0 || !tune_status_is_ok(status);
  tune_status_free(status);
  return failed;
}

static void expect(tune_status status, tune_status_code code, const char *part) {
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), part));
  tune_status_free(status);
}

static void assert_contents(const char *path, const char *expected) {
  char *bytes;
  size_t size;
  assert_null(tune_file_read(path, &bytes, &size));
  assert_int_equal(size, strlen(expected));
  assert_string_equal(bytes, expected);
  free(bytes);
}

static void reads_back_what_was_written(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 4095, 4096, 200000};
  char *bytes = malloc(200000);
  assert_non_null(bytes);
  for (size_t i = 0; i < 200000; ++i)
    bytes[i] = (char)(i * 7);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    assert_null(tune_file_write("x", bytes, sizes[i]));
    char *copy;
    size_t size;
    assert_null(tune_file_read("x", &copy, &size));
    assert_int_equal(size, sizes[i]);
    assert_memory_equal(copy, bytes, size);
    assert_int_equal(copy[size], '\0');
    free(copy);
  }
  free(bytes);
}

static void reads_what_has_no_size(void **state) {
  (void)state;
  char *bytes;
  assert_null(tune_file_read("/proc/self/maps", &bytes, NULL));
  assert_non_null(strstr(bytes, "file_test"));
  free(bytes);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "through a pipe", 14), 14);
  close(ends[1]);
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
  assert_contents(path, "through a pipe");
  close(ends[0]);
}

static void errors_name_the_path(void **state) {
  (void)state;
  char *bytes;
  expect(tune_file_read("missing", &bytes, NULL), TUNE_NOT_FOUND, "missing");
  expect(tune_file_read(".", &bytes, NULL), TUNE_FAILED_PRECONDITION, ".: ");
  expect(tune_file_write("missing/x", "a", 1), TUNE_NOT_FOUND, "missing/x");
  expect(tune_file_write(".", "a", 1), TUNE_FAILED_PRECONDITION, ".: ");
  expect(tune_file_write("/dev/full", "a", 1), TUNE_RESOURCE_EXHAUSTED, "No space left");
}

static mode_t mode_of(const char *path) {
  struct stat info;
  assert_int_equal(lstat(path, &info), 0);
  return info.st_mode;
}

static void permissions_follow_the_umask_or_the_old_file(void **state) {
  (void)state;
  mode_t before = umask(027);
  assert_null(tune_file_write("new", "a", 1));
  umask(before);
  assert_int_equal(mode_of("new") & 07777, 0640);
  assert_int_equal(chmod("new", 0755), 0);
  assert_null(tune_file_write("new", "b", 1));
  assert_int_equal(mode_of("new") & 07777, 0755);
  assert_contents("new", "b");
  // Nobody's to read, which root may replace all the same.
  assert_int_equal(chmod("new", 0), 0);
  tune_status_free(tune_file_write("new", "c", 1));
  assert_int_equal(mode_of("new") & 07777, 0);
}

static void a_link_stays_a_link(void **state) {
  (void)state;
  assert_null(tune_file_write("file", "old", 3));
  assert_int_equal(symlink("file", "link"), 0);
  assert_null(tune_file_write("link", "new", 3));
  assert_true(S_ISLNK(mode_of("link")));
  assert_contents("file", "new");
}

// So does one to a file that is not there yet; if that cannot be written whole, it is not made.
static void a_link_to_nothing_is_followed(void **state) {
  (void)state;
  assert_int_equal(mkdir("folder", 0700), 0);
  assert_int_equal(symlink("folder/file", "link"), 0);
  struct rlimit before, none = {0};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  none.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  expect(tune_file_write("link", "new", 3), TUNE_RESOURCE_EXHAUSTED, "writing: ");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(access("folder/file", F_OK), -1);

  assert_null(tune_file_write("link", "new", 3));
  assert_true(S_ISLNK(mode_of("link")));
  assert_contents("folder/file", "new");

  assert_int_equal(symlink("../link2", "folder/link"), 0);
  assert_int_equal(symlink("file2", "link2"), 0);
  assert_null(tune_file_write("folder/link", "two links", 9));
  assert_true(S_ISLNK(mode_of("link2")));
  assert_contents("file2", "two links");

  assert_int_equal(symlink("missing/file", "nowhere"), 0);
  expect(tune_file_write("nowhere", "new", 3), TUNE_NOT_FOUND, "nowhere: following the link: ");
  assert_int_equal(symlink("circle", "circle"), 0);
  expect(tune_file_write("circle", "new", 3), TUNE_FAILED_PRECONDITION, "circle: following");
}

static void what_is_no_file_is_written_to(void **state) {
  (void)state;
  assert_null(tune_file_write("/dev/null", "a", 1));
  assert_true(S_ISCHR(mode_of("/dev/null")));
}

// A reader that has the old file open keeps it whole: it is replaced, not overwritten.
static void a_file_is_replaced_not_overwritten(void **state) {
  (void)state;
  assert_null(tune_file_write("x", "old", 3));
  int file = open("x", O_RDONLY);
  assert_null(tune_file_write("x", "NEW", 3));
  char bytes[4] = "";
  assert_int_equal(read(file, bytes, 3), 3);
  close(file);
  assert_string_equal(bytes, "old");
  assert_contents("x", "NEW");
}

static void folders_are_made_and_removed_with_all_in_them(void **state) {
  (void)state;
  assert_null(tune_file_make_folders("a/b//c/", 0700));
  assert_null(tune_file_make_folders("a/b/c", 0700));
  assert_int_equal(mode_of("a/b/c") & 07777, 0700);
  assert_null(tune_file_make_folders("/", 0700));
  assert_null(tune_file_write("a/b/x", "", 0));
  assert_null(tune_file_write("kept", "k", 1));
  assert_int_equal(symlink("../../kept", "a/b/link"), 0);
  assert_int_equal(symlink("..", "a/b/c/up"), 0);
  expect(tune_file_make_folders("a/b/x/y", 0700), TUNE_FAILED_PRECONDITION, "a/b/x");
  expect(tune_file_make_folders("", 0700), TUNE_INVALID_ARGUMENT, "without a name");
  assert_null(tune_file_remove_tree("a"));
  assert_int_equal(access("a", F_OK), -1);
  assert_null(tune_file_remove_tree("a"));
  assert_contents("kept", "k");
  assert_null(tune_file_remove_tree("kept"));
  assert_int_equal(access("kept", F_OK), -1);
}

static void removes_what_it_can(void **state) {
  (void)state;
  assert_null(tune_file_make_folders("a/b/c", 0700));
  assert_null(tune_file_write("a/b/x", "", 0));
  assert_null(tune_file_write("a/y", "", 0));
  assert_null(tune_file_write("kept", "k", 1));
  assert_int_equal(symlink(".", "link"), 0);
  assert_int_equal(chmod("a/b/c", 0), 0); // empty, and not to be read
  assert_null(tune_file_remove_tree("a"));
  assert_null(tune_file_remove_tree("link"));
  assert_contents("kept", "k");
  // Nobody removes anything there, and that does not pass.
  tune_status status = tune_file_remove_tree("/proc/self/fdinfo");
  assert_int_not_equal(tune_status_get_code(status), TUNE_STATUS_OK);
  assert_int_not_equal(tune_status_get_code(status), TUNE_RESOURCE_EXHAUSTED);
  tune_status_free(status);
}

// Each finds that others have removed what it has just read the name of.
static void several_remove_one_tree(void **state) {
  (void)state;
  char path[32];
  for (int i = 0; i < 300; ++i) {
    snprintf(path, sizeof path, "a/%d/b", i % 30);
    assert_null(tune_file_make_folders(path, 0700));
    snprintf(path, sizeof path, "a/%d/%d", i % 30, i);
    assert_null(tune_file_write(path, "", 0));
  }
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      _exit(tune_file_remove_tree("a") != TUNE_OK);
  }
  int end;
  for (int i = 0; i < 4; ++i) {
    assert_true(wait(&end) > 0);
    assert_int_equal(end, 0);
  }
  assert_int_equal(access("a", F_OK), -1);
}

// What is killed while it writes leaves nothing: the file has no name until it is whole.
static void a_writer_that_is_killed_leaves_nothing(void **state) {
  (void)state;
  assert_null(tune_file_write("x", "old", 3));
  int probe = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (probe < 0)
    skip(); // a file system without
  close(probe);
  struct rlimit limit = {.rlim_cur = 1 << 16, .rlim_max = 1 << 16};
  static char big[1 << 20];
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL); // ends it as it writes
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    setrlimit(RLIMIT_FSIZE, &limit);
    tune_status_free(tune_file_write("x", big, sizeof big));
    _exit(0);
  }
  int end;
  assert_int_equal(waitpid(child, &end, 0), child);
  assert_true(WIFSIGNALED(end));
  assert_contents("x", "old");
  assert_int_equal(unlink("x"), 0);
  assert_int_equal(rmdir(folder), 0); // empty
  assert_int_equal(mkdir(folder, 0700), 0);
}

// A system without /proc, where a nameless file gets no name (--wrap=linkat).
static bool is_without_proc;
static char name_last[4096]; // given to a nameless file
static rlim_t limit_then;    // on the size of files, once that was tried; 0: none

int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);

int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  snprintf(name_last, sizeof name_last, "%s", to);
  if (!is_without_proc || strncmp(from, "/proc/", 6) != 0)
    return __real_linkat(from_folder, from, to_folder, to, flags);
  struct rlimit limit;
  if (limit_then && getrlimit(RLIMIT_FSIZE, &limit) == 0) {
    limit.rlim_cur = limit_then;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  errno = ENOENT;
  return -1;
}

// A new one has no other name before its own, which a killed writer would leave.
static void a_new_file_is_named_once(void **state) {
  (void)state;
  *name_last = 0;
  assert_null(tune_file_write("x", "new", 3));
  if (!*name_last)
    skip(); // a file system without nameless files
  assert_string_equal(name_last, "x");
  assert_contents("x", "new");
  assert_null(tune_file_write("x", "newer", 5));
  const char *slash = strrchr(name_last, '/'); // what is there is followed to its folder
  assert_int_equal(strlen(slash ? slash + 1 : name_last), strlen("x.") + 8);
  assert_contents("x", "newer");
  assert_int_equal(unlink("x"), 0);
}

// It is written under a name then, which goes where that fails.
static void a_system_without_proc_is_no_reason(void **state) {
  (void)state;
  struct rlimit before;
  struct stat info;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  is_without_proc = true;
  assert_null(tune_file_write("x", "old", 3));
  assert_contents("x", "old");
  assert_int_equal(chmod("x", 0640), 0);
  assert_null(tune_file_write("x", "new", 3));
  limit_then = 2;
  tune_status status = tune_file_write("x", "newer", 5);
  limit_then = 0;
  is_without_proc = false;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  expect(status, TUNE_RESOURCE_EXHAUSTED, "x: ");
  assert_contents("x", "new");
  assert_int_equal(stat("x", &info), 0);
  assert_int_equal(info.st_mode & 07777, 0640);
  assert_int_equal(unlink("x"), 0);
  assert_int_equal(rmdir(folder), 0); // empty
  assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_link_to_nothing_is_there(void **state) {
  (void)state;
  bool is_there = false;
  assert_int_equal(symlink("missing", "link"), 0);
  assert_null(tune_file_is_there("link", &is_there));
  assert_true(is_there);
  assert_null(tune_file_is_there("missing", &is_there));
  assert_false(is_there);
  expect(tune_file_is_there("/dev/null/x", &is_there), TUNE_FAILED_PRECONDITION, "/dev/null/x: ");
  assert_false(is_there);
}

// What cannot be added whole is not there, not even its beginning.
static void bytes_are_added_whole(void **state) {
  (void)state;
  assert_null(tune_file_write("x", "old", 3));
  int file = open("x", O_WRONLY | O_APPEND | O_CLOEXEC);
  bool is_taken;
  assert_null(tune_file_lock(file, &is_taken));
  assert_false(is_taken);
  int second = open("x", O_WRONLY | O_CLOEXEC);
  assert_null(tune_file_lock(second, &is_taken));
  assert_true(is_taken);
  close(second);
  assert_null(tune_file_append(file, 3, " and new", 8));
  assert_contents("x", "old and new");
  struct rlimit before, small = {.rlim_cur = 16};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  tune_status status = tune_file_append(file, 11, " and more than fits", 19);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  expect(status, TUNE_RESOURCE_EXHAUSTED, "writing: ");
  assert_contents("x", "old and new");
  close(file);
}

static tune_status use_files(void *context) {
  (void)context;
  TUNE_RETURN_IF_ERROR(tune_file_make_folders("d/e", 0700));
  TUNE_RETURN_IF_ERROR(tune_file_write("d/e/f", "bytes", 5));
  TUNE_RETURN_IF_ERROR(tune_file_write("d/e/f", "bytes", 5));
  char *bytes;
  TUNE_RETURN_IF_ERROR(tune_file_read("/proc/self/status", &bytes, NULL));
  free(bytes);
  TUNE_RETURN_IF_ERROR(tune_file_read("d/e/f", &bytes, NULL));
  free(bytes);
  return TUNE_OK;
}

static void running_out_of_memory_is_said(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(use_files, NULL) >= 6);
  // No temporary file is left by the failures.
  assert_int_equal(unlink("d/e/f"), 0);
  assert_int_equal(rmdir("d/e"), 0);
}

static const char *nobody_checks(const char *path) {
  static char message[256];
  tune_status status = tune_file_check_writable(path);
  snprintf(message, sizeof message, "%s", tune_status_get_message(status));
  tune_status_free(status);
  return message;
}

// In a child, as permissions mean nothing to root. Exits with the number of the first that is
// wrong.
static _Noreturn void check_as_nobody(void) {
  if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
    _exit(99);
  static const struct {
    const char *path;
    bool is_writable;
  } paths[] = {{"open/new", true},     {"open/file", true},    {"closed/new", false},
               {"closed/file", false}, {"closed/out", true},   {"closed/to_new", true},
               {"open/in", false},     {"open/to_new", false}, {"missing/new", false},
               {"open", false},        {"/dev/null", true},    {"/dev/fd/3", true}};
  int file = open("open/file", O_WRONLY);
  if (file < 0 || dup2(file, 3) != 3)
    _exit(98);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
    if ((strcmp(nobody_checks(paths[i].path), "OK") == 0) != paths[i].is_writable)
      _exit((int)i + 1);
  _exit(0);
}

// What links lead to counts, and not where they are.
static void what_can_be_written_is_known(void **state) {
  (void)state;
  assert_int_equal(chmod(".", 0755), 0);
  assert_true(mkdir("open", 0700) == 0 && mkdir("closed", 0700) == 0);
  assert_null(tune_file_write("open/file", "x", 1));
  assert_null(tune_file_write("closed/file", "x", 1));
  assert_int_equal(symlink("../open/file", "closed/out"), 0);
  assert_int_equal(symlink("../open/new", "closed/to_new"), 0);
  assert_int_equal(symlink("../closed/file", "open/in"), 0);
  assert_int_equal(symlink("../closed/new", "open/to_new"), 0);
  assert_true(chmod("open/file", 0666) == 0 && chmod("closed/file", 0666) == 0);
  assert_true(chmod("open", 0777) == 0 && chmod("closed", 0555) == 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    check_as_nobody();
  int how = -1;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(chmod("closed", 0755), 0);
  assert_int_equal(how, 0);
  char *folder_of_link;
  assert_null(tune_file_find_folder("closed/to_new", &folder_of_link));
  assert_string_equal(folder_of_link, "closed/../open/");
  free(folder_of_link);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(what_can_be_written_is_known),
      IN_FOLDER(reads_back_what_was_written),
      IN_FOLDER(reads_what_has_no_size),
      IN_FOLDER(errors_name_the_path),
      IN_FOLDER(permissions_follow_the_umask_or_the_old_file),
      IN_FOLDER(a_link_stays_a_link),
      IN_FOLDER(a_link_to_nothing_is_followed),
      IN_FOLDER(what_is_no_file_is_written_to),
      IN_FOLDER(a_file_is_replaced_not_overwritten),
      IN_FOLDER(folders_are_made_and_removed_with_all_in_them),
      IN_FOLDER(removes_what_it_can),
      IN_FOLDER(a_link_to_nothing_is_there),
      IN_FOLDER(bytes_are_added_whole),
      IN_FOLDER(several_remove_one_tree),
      IN_FOLDER(a_writer_that_is_killed_leaves_nothing),
      IN_FOLDER(a_new_file_is_named_once),
      IN_FOLDER(a_system_without_proc_is_no_reason),
      IN_FOLDER(running_out_of_memory_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
