//===- contestant.c - A program that runs one workload when asked ------------------===//

#include "contestant.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void tune_contest_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("error ", stdout);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
  exit(1);
}

void *tune_contest_allocate(size_t size) {
  size_t rounded = (size + 63) / 64 * 64;
  void *memory = aligned_alloc(64, rounded ? rounded : 64);
  if (!memory)
    tune_contest_fail("no memory for %zu bytes", size);
  return memset(memory, 0, rounded);
}

static void read_input(tune_contest *contest, const char *path) {
  if (contest->input_count == TUNE_CONTEST_INPUTS)
    tune_contest_fail("more than %d inputs", TUNE_CONTEST_INPUTS);
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    tune_contest_fail("%s: %s", path, strerror(errno));
  long size = ftell(file);
  rewind(file);
  if (size < 0)
    tune_contest_fail("%s: %s", path, strerror(errno));
  void *data = tune_contest_allocate((size_t)size);
  if (fread(data, 1, (size_t)size, file) != (size_t)size)
    tune_contest_fail("%s: %s", path, ferror(file) ? strerror(errno) : "it shrank");
  fclose(file);
  contest->inputs[contest->input_count] = data;
  contest->input_sizes[contest->input_count++] = (size_t)size;
}

void tune_contest_init(tune_contest *contest, int argc, char **argv) {
  *contest = (tune_contest){.pairs = argv + 1, .pair_count = argc - 1};
  for (int i = 1; i < argc; ++i)
    if (strncmp(argv[i], "input=", 6) == 0)
      read_input(contest, argv[i] + 6);
  contest->output_size = (size_t)tune_contest_number(contest, "output-bytes");
  contest->output = tune_contest_allocate(contest->output_size);
}

const char *tune_contest_text(const tune_contest *contest, const char *key) {
  size_t length = strlen(key);
  for (int i = 0; i < contest->pair_count; ++i)
    if (strncmp(contest->pairs[i], key, length) == 0 && contest->pairs[i][length] == '=')
      return contest->pairs[i] + length + 1;
  tune_contest_fail("no %s=… among the arguments", key);
}

int64_t tune_contest_number(const tune_contest *contest, const char *key) {
  const char *text = tune_contest_text(contest, key);
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || errno || number < 0)
    tune_contest_fail("%s=%s is no number", key, text);
  return number;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The call ahead brings code, data and branch history back that the other contestants displaced.
static double run(const tune_contest_entry *entry, unsigned long repeats) {
  entry->call(entry->state);
  double start = seconds_now();
  for (unsigned long i = 0; i < repeats; ++i)
    entry->call(entry->state);
  return seconds_now() - start;
}

static void write_output(const tune_contest *contest, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(contest->output, 1, contest->output_size, file) != contest->output_size ||
      fclose(file) != 0)
    tune_contest_fail("%s: %s", path, strerror(errno));
}

int tune_contest_serve(tune_contest *contest, const char *form, const tune_contest_entry *entry) {
  printf("ready %s\n", form);
  fflush(stdout);
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "run ", 4) == 0) {
      printf("%.9g\n", run(entry, strtoul(line + 4, NULL, 10)));
    } else if (strncmp(line, "write ", 6) == 0) {
      entry->call(entry->state);
      if (entry->finish)
        entry->finish(entry->state);
      write_output(contest, line + 6);
      puts("done");
    } else {
      tune_contest_fail("what is '%s'?", line);
    }
    fflush(stdout);
  }
  for (size_t i = 0; i < contest->input_count; ++i)
    free(contest->inputs[i]);
  free(contest->output);
  return 0;
}
