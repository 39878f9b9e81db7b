//===- fuzz.c - What the fuzz targets share ------------------------------------------===//

#include "fuzz/fuzz.h"

#include "support/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *fuzz_allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  fuzz_require(memory != NULL, "memory for the fuzz target itself");
  return memory;
}

char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = fuzz_allocate(size + 1);
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

void fuzz_split(const uint8_t *data, size_t size, char separator, size_t count, char **out_parts) {
  out_parts[0] = fuzz_text(data, size);
  for (size_t i = 1; i < count; ++i) {
    char *end = strchr(out_parts[i - 1], separator);
    out_parts[i] = end ? end + 1 : out_parts[i - 1] + strlen(out_parts[i - 1]);
    if (end)
      *end = '\0';
  }
}

int fuzz_file(const void *data, size_t size) {
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  fuzz_require(fd >= 0, "a file in memory");
  const char *bytes = data;
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    fuzz_require(written > 0, "a file in memory that can be written");
    bytes += written;
    size -= (size_t)written;
  }
  fuzz_require(lseek(fd, 0, SEEK_SET) == 0, "a file in memory that can be read");
  return fd;
}

void fuzz_path(int fd, char out_path[FUZZ_PATH]) {
  snprintf(out_path, FUZZ_PATH, "/proc/self/fd/%d", fd);
}

static tune_scratch *scratch;

static void remove_scratch(void) {
  tune_scratch_destroy(scratch);
  scratch = NULL;
}

void fuzz_scratch_path(const char *name, char out_path[FUZZ_PATH]) {
  if (!scratch) {
    fuzz_require(fuzz_accept(tune_scratch_create(&scratch)), "a folder for what is written");
    atexit(remove_scratch);
  }
  int length = snprintf(out_path, FUZZ_PATH, "%s/%s", tune_scratch_get_path(scratch), name);
  fuzz_require(length < FUZZ_PATH, "a short path of that folder");
}

bool fuzz_accept(tune_status status) {
  bool is_ok = tune_status_is_ok(status);
  fuzz_require(is_ok || *tune_status_get_message(status), "a failure with a message");
  tune_status_free(status);
  return is_ok;
}

// stderr as it was before libFuzzer closed it to keep out what the code under test prints.
static int report = STDERR_FILENO;

__attribute__((constructor)) static void keep_report(void) {
  report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

void fuzz_require(bool condition, const char *what) {
  if (condition)
    return;
  dprintf(report, "fuzz: not so: %s\n", what);
  abort();
}
