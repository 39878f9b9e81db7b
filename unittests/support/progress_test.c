//===- progress_test.c - Lines that say how far a search has come --------------------===//

#include "support/progress.h"
#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A progress that writes to memory.
typedef struct fixture {
  char *text;
  size_t size;
  FILE *stream;
  tune_progress *progress;
} fixture;

static void fixture_init(fixture *f, tune_progress_style style, double seconds, size_t width) {
  f->stream = open_memstream(&f->text, &f->size);
  assert_non_null(f->stream);
  tune_progress_options options;
  tune_progress_options_init(&options);
  options.style = style;
  options.plain_seconds = options.live_seconds = seconds;
  options.prefix = "tune-opt: ";
  options.width = width;
  assert_null(tune_progress_create(f->stream, &options, &f->progress));
}

static void expect(fixture *f, const char *expected) {
  tune_progress_destroy(f->progress);
  fclose(f->stream);
  assert_string_equal(f->text, expected);
  free(f->text);
}

static const tune_progress_state early = {
    .name = "matmul", .number = 1, .task_count = 3, .trials = 0, .trial_limit = 64};
static const tune_progress_state late = {.name = "matmul",
                                         .number = 1,
                                         .task_count = 3,
                                         .trials = 37,
                                         .trial_limit = 64,
                                         .failed = 3,
                                         .best = 0.00951,
                                         .percent_of_peak = 94.21,
                                         .speedup = 1.5,
                                         .seconds_left = 4,
                                         .phase = "comparing finalists"};

// A live line is drawn over itself and left behind at the end.
static void live_lines_replace_themselves(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, TUNE_PROGRESS_LIVE, 0, 200);
  tune_progress_update(f.progress, &early);
  tune_progress_update(f.progress, &late);
  tune_progress_finish_task(f.progress, &late);
  expect(&f, "\r[1/3] matmul  0/64\x1b[K"
             "\r[1/3] matmul  37/64  best 9.510 ms  94.2 % of peak  1.50x  3 failed  comparing "
             "finalists  4 s left\x1b[K"
             "\r[1/3] matmul  37/64  best 9.510 ms  94.2 % of peak  1.50x  3 failed  comparing "
             "finalists  4 s left\x1b[K\n");
}

// A line never wraps: it is cut one cell before the terminal's edge.
static void live_lines_do_not_wrap(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, TUNE_PROGRESS_LIVE, 0, 14);
  tune_progress_update(f.progress, &early);
  expect(&f, "\r[1/3] matmul\xe2\x80\xa6\x1b[K\r\x1b[K");
}

// Where the line is too long, the name gives way to the figures, but not all of it.
static void names_give_way_to_figures(void **state) {
  (void)state;
  fixture f;
  tune_progress_state named = {.name = "matmul 512x1024x1024 f32 +transpose +bias +gelu",
                               .number = 1,
                               .task_count = 1,
                               .trials = 37,
                               .trial_limit = 64,
                               .best = 0.00951,
                               .seconds_left = 4};
  fixture_init(&f, TUNE_PROGRESS_LIVE, 0, 61);
  tune_progress_update(f.progress, &named);
  expect(&f,
         "\rmatmul 512x1024x1024 f32 +t\xe2\x80\xa6  37/64  best 9.510 ms  4 s left\x1b[K\r\x1b[K");
  named.way = "by rule 'contraction'";
  fixture_init(&f, TUNE_PROGRESS_LIVE, 0, 81);
  tune_progress_update(f.progress, &named);
  expect(&f,
         "\rmatmul 512x1024x1024 f32\xe2\x80\xa6  by rule 'contraction'  37/64  best 9.510 ms  4 s "
         "left\x1b[K\r\x1b[K");
  named.way = NULL;
  fixture_init(&f, TUNE_PROGRESS_LIVE, 0, 31);
  tune_progress_update(f.progress, &named);
  expect(&f, "\rmatmul 512x1024\xe2\x80\xa6  37/64  best\xe2\x80\xa6\x1b[K\r\x1b[K");
}

// What is drawn can be taken away for a message, and is gone at the end; then it comes back at
// once.
static void live_lines_make_room(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, TUNE_PROGRESS_LIVE, 1000, 200);
  tune_progress_update(f.progress, &early);
  tune_progress_update(f.progress, &late);
  tune_progress_clear(f.progress);
  tune_progress_clear(f.progress);
  tune_progress_update(f.progress, &early);
  expect(&f, "\r[1/3] matmul  0/64\x1b[K\r\x1b[K\r[1/3] matmul  0/64\x1b[K\r\x1b[K");
}

// Plain lines: the first and the last of each task, and in between only now and then.
static void plain_lines_are_few(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, TUNE_PROGRESS_PLAIN, 1000, 0);
  tune_progress_state single = early;
  single.task_count = 1;
  tune_progress_update(f.progress, &single);
  for (size_t i = 0; i < 100; ++i)
    tune_progress_update(f.progress, &late);
  tune_progress_finish_task(f.progress, &late);
  tune_progress_update(f.progress, &early);
  expect(&f, "tune-opt: matmul, 0/64\n"
             "tune-opt: [1/3] matmul, 37/64, best 9.510 ms, 94.2 % of peak, 1.50x, 3 failed, "
             "comparing finalists, 4 s left\n"
             "tune-opt: [1/3] matmul, 0/64\n");
}

// A task of which all was known before is one line, not the same line twice.
static void plain_lines_do_not_repeat(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, TUNE_PROGRESS_PLAIN, 1000, 0);
  for (size_t i = 0; i < 2; ++i) {
    tune_progress_update(f.progress, &early);
    tune_progress_finish_task(f.progress, &early);
  }
  expect(&f, "tune-opt: [1/3] matmul, 0/64\n"
             "tune-opt: [1/3] matmul, 0/64\n");
}

// A stream that is no terminal gets plain lines by itself, and a quiet progress says nothing.
static void style_follows_the_stream(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, TUNE_PROGRESS_AUTO, 0, 0);
  tune_progress_update(f.progress, &early);
  expect(&f, "tune-opt: [1/3] matmul, 0/64\n");
  fixture_init(&f, TUNE_PROGRESS_QUIET, 0, 0);
  tune_progress_update(f.progress, &early);
  tune_progress_finish_task(f.progress, &late);
  expect(&f, "");
}

static tune_status show_a_task(void *context) {
  tune_progress *progress = NULL;
  TUNE_RETURN_IF_ERROR(tune_progress_create(context, NULL, &progress));
  tune_progress_update(progress, &early);
  tune_progress_finish_task(progress, &late);
  tune_progress_destroy(progress);
  return TUNE_OK;
}

// A search goes on where its progress cannot be shown for want of memory.
static void memory_may_run_out(void **state) {
  (void)state;
  FILE *stream = fopen("/dev/null", "w");
  assert_non_null(stream);
  assert_true(tune_fail_each_allocation(show_a_task, stream) >= 3);
  fclose(stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(live_lines_replace_themselves), cmocka_unit_test(live_lines_do_not_wrap),
      cmocka_unit_test(names_give_way_to_figures),     cmocka_unit_test(live_lines_make_room),
      cmocka_unit_test(plain_lines_are_few),           cmocka_unit_test(plain_lines_do_not_repeat),
      cmocka_unit_test(style_follows_the_stream),      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
