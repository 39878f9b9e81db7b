//===- records.c - Benchmark of a large database -----------------------------===//
//
//   tune_database_benchmark RECORDS FILE
//
// Makes a database of so many records, half of them of one task and the others of 500 (on two
// fingerprints, of four schedules, with winners, and with what takes records back), and prints how
// long it takes to open it, to find the best of a task, the neighbours of one, to keep a trial, and
// so on: medians, of new connections where it says so. Exits with 1 where the best takes 1 ms or
// opening 50 ms.
//
//===--------------------------------------------------------------------------------===//

#include "support/clock.h"
#include "tuning/database/database.h"
#include "tuning/database/database_transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHER_TASKS 500
#define CHUNK 20000 // lines that come in at once
#define SESSION 64  // records under the same conditions
#define MOST_BEST_SECONDS 1e-3
#define MOST_OPEN_SECONDS 50e-3

static void check(tune_status status) {
  if (tune_status_is_ok(status))
    return;
  fprintf(stderr, "tune_database_benchmark: %s\n", tune_status_get_message(status));
  exit(2);
}

//===- Making it --------------------------------------------------------------===//

static void make_task(int number, tune_kept_task *task, char key[32], char name[64],
                      int64_t extents[3]) {
  snprintf(key, 32, "task%d", number);
  for (int i = 0; i < 3; ++i)
    extents[i] = 8 + 8 * ((number * 7 + i * 131) & 255);
  snprintf(name, 64, "matmul %dx%dx%d f32 %d", (int)extents[0], (int)extents[1], (int)extents[2],
           number);
  *task = (tune_kept_task){.key = key,
                           .kind = "contraction",
                           .name = name,
                           .type = "f32",
                           .payload = "",
                           .flops = 1e9,
                           .bytes = 1e7,
                           .rank = 3,
                           .extents = extents};
}

static const char *fingerprint_of(long number) { return number / 7 % 2 ? "f1" : "f0"; }

static int task_of(long number) { return number % 2 ? 0 : 1 + (int)(number / 2 % OTHER_TASKS); }

// A record as a line. Every hundredth is a winner; every twentieth fails, and every thousandth says
// that a time does not hold: of the config of the task's record before it.
static void write_record(FILE *lines, long number) {
  double seconds = 1e-3 * (1 + fmod((double)number * 0.6180339887, 1.0));
  bool is_winner = number % 100 == 99 || number % 100 == 98;
  bool is_failure = number % 20 < 2, is_doubt = number % 1000 / 2 == 5;
  long config = is_failure || is_doubt ? number - (number % 2 ? 2 : 2 * OTHER_TASKS) : number;
  fprintf(lines,
          "{\"kind\":\"%s\",\"task\":\"task%d\",\"fingerprint\":\"%s\",\"schedule\":\"s%ld\","
          "\"config\":{\"mc\":%ld,\"nc\":%ld,\"kc\":64,\"mr\":4,\"nr\":16,\"order\":1},",
          is_winner ? "winner" : "trial", task_of(number), fingerprint_of(number), number / 50 % 4,
          config, config * 3);
  if (is_failure)
    fprintf(lines, "\"verdict\":\"wrong\",\"error\":\"not as the reference\",");
  else
    fprintf(lines,
            "\"verdict\":\"ok\",%s\"time\":{\"median\":%.9f,\"low\":%.9f,\"high\":%.9f,"
            "\"repeats\":4,\"samples\":[%.9f,%.9f,%.9f,%.9f]},"
            "\"check\":{\"max_error\":1e-6,\"tolerance\":1e-4},",
            is_doubt ? "\"error\":\"the time of an earlier record does not hold\"," : "", seconds,
            seconds * 0.99, seconds * 1.01, seconds, seconds, seconds * 1.01, seconds * 0.99);
  fprintf(lines,
          "\"digest\":\"%032lx\",\"stages\":{\"transform\":0.01},"
          "\"conditions\":{\"cpus\":\"1\",\"governor\":\"performance\",\"load\":%ld.5,"
          "\"others_busy\":0.25,\"cpu_count\":2,\"stolen\":0.0},"
          "%s\"strategy\":\"evolutionary\",\"seed\":\"1\",\"created_ms\":%ld}\n",
          number, number / SESSION, is_winner ? "\"script\":\"module {}\"," : "",
          1700000000000 + number);
}

static void import_lines(tune_database *database, char *lines, size_t size) {
  tune_database_transfer done;
  FILE *stream = fmemopen(lines, size, "r");
  check(tune_database_import(database, stream, "lines", &done));
  fclose(stream);
}

static void make(const char *path, long count) {
  tune_database *database;
  check(tune_database_open(path, &database));
  for (int i = 0; i <= OTHER_TASKS; ++i) {
    tune_kept_task task;
    char key[32], name[64];
    int64_t extents[3];
    make_task(i, &task, key, name, extents);
    check(tune_database_put_task(database, &task));
  }
  check(tune_database_put_fingerprint(database, "f0", "cpu", "{\"model\":\"one\"}"));
  check(tune_database_put_fingerprint(database, "f1", "cpu", "{\"model\":\"two\"}"));
  for (long begin = 0; begin < count; begin += CHUNK) {
    char *lines;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    fputs("{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1}\n", stream);
    for (long number = begin; number < begin + CHUNK && number < count; ++number)
      write_record(stream, number);
    fclose(stream);
    import_lines(database, lines, size);
    free(lines);
  }
  tune_database_destroy(database);
}

//===- Asking it --------------------------------------------------------------===//

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

typedef struct question {
  const char *path;
  const char *task, *schedule;
  tune_database *database; // open already; NULL: to be opened
} question;

static void ask_open(const question *q) {
  tune_database *database;
  check(tune_database_open(q->path, &database));
  tune_database_destroy(database);
}

static void ask_best(const question *q) {
  tune_record best;
  tune_status status = tune_database_best(q->database, q->task, "f0", q->schedule, &best);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND)
    tune_status_free(status);
  else
    check(status);
  tune_record_deinit(&best);
}

static void ask_first_best(const question *q) {
  question opened = *q;
  check(tune_database_open_read_only(q->path, &opened.database));
  ask_best(&opened);
  tune_database_destroy(opened.database);
}

static void ask_nearest(const question *q) {
  tune_database_neighbour neighbours[4];
  size_t count;
  tune_kept_task task;
  char key[32], name[64];
  int64_t extents[3];
  make_task(3, &task, key, name, extents);
  check(tune_database_nearest(q->database, &task, "f0", 4, neighbours, &count));
  tune_database_neighbours_deinit(neighbours, count);
}

static tune_status pass(void *user, const tune_record *record) {
  (void)user, (void)record;
  return TUNE_OK;
}

static void ask_load(const question *q) {
  check(tune_database_load(q->database, q->task, "f0", pass, NULL));
}

static void ask_append(const question *q) {
  static int64_t now = 1800000000000;
  double sample = 1;
  tune_record record = {
      .kind = TUNE_RECORD_TRIAL,
      .task = "task1",
      .fingerprint = "f0",
      .schedule = "s0",
      .config = "{\"mc\":1}",
      .verdict = TUNE_VERDICT_OK,
      .time =
          {.median = 1, .low = 1, .high = 1, .repeats = 1, .samples = &sample, .sample_count = 1},
      .conditions = {.is_known = true, .cpus = "1", .governor = "performance", .load = 0.5},
      .strategy = "random",
      .created_ms = ++now};
  check(tune_database_append(q->database, &record));
}

static tune_status pass_summary(void *user, const tune_database_summary *summary) {
  (void)user, (void)summary;
  return TUNE_OK;
}

static void ask_list(const question *q) {
  check(tune_database_list(q->database, NULL, pass_summary, NULL));
}

// The median of `count` answers, in seconds; prints it.
static double time_answers(const char *what, void (*ask)(const question *), const question *q,
                           size_t count) {
  double seconds[1001];
  for (size_t i = 0; i < count; ++i) {
    double begin = tune_clock_seconds();
    ask(q);
    seconds[i] = tune_clock_seconds() - begin;
  }
  qsort(seconds, count, sizeof *seconds, compare_doubles);
  printf("%-58s %10.3f ms\n", what, 1e3 * seconds[count / 2]);
  return seconds[count / 2];
}

static bool is_slow(const char *path) {
  question q = {.path = path, .task = "task1"};
  bool slow = time_answers("open and close", ask_open, &q, 21) >= MOST_OPEN_SECONDS;
  time_answers("open, find the best, close", ask_first_best, &q, 21);
  check(tune_database_open(path, &q.database));
  const char *const schedules[] = {NULL, "s1", "unknown"};
  for (int large = 0; large < 2; ++large) {
    q.task = large ? "task0" : "task1";
    for (int i = 0; i < 3; ++i) {
      char what[128];
      q.schedule = schedules[i];
      snprintf(what, sizeof what, "best of a task with %s of the records%s%s",
               large ? "half" : "few", q.schedule ? ", of schedule " : "",
               q.schedule ? q.schedule : "");
      slow |= time_answers(what, ask_best, &q, 101) >= MOST_BEST_SECONDS;
    }
  }
  q.task = "task1";
  time_answers("nearest of 500 tasks", ask_nearest, &q, 101);
  time_answers("all records of a task with few", ask_load, &q, 21);
  q.task = "task0";
  time_answers("all records of a task with half of them", ask_load, &q, 1);
  time_answers("keep a trial", ask_append, &q, 1001);
  time_answers("list", ask_list, &q, 1);
  tune_database_destroy(q.database);
  return slow;
}

int main(int argc, char **argv) {
  long count = argc == 3 ? atol(argv[1]) : 0;
  if (count < 1) {
    fprintf(stderr, "usage: tune_database_benchmark RECORDS FILE\n");
    return 2;
  }
  if (access(argv[2], F_OK) != 0) {
    double begin = tune_clock_seconds();
    make(argv[2], count);
    printf("%ld records made in %.1f s\n", count, tune_clock_seconds() - begin);
  }
  struct stat info;
  if (stat(argv[2], &info) == 0)
    printf("%.1f MB on disk\n", (double)info.st_size / 1e6);
  bool slow = is_slow(argv[2]);
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    printf("%.1f MB of memory at most\n", (double)usage.ru_maxrss * 1024 / 1e6);
  if (!slow)
    return 0;
  printf("too slow: the best is to take less than %g ms, opening less than %g ms\n",
         1e3 * MOST_BEST_SECONDS, 1e3 * MOST_OPEN_SECONDS);
  return 1;
}
