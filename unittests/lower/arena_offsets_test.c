//===- arena_offsets_test.c - Where in one block of memory buffers lie -----------------===//

#include "transforms/lower/cpu/arena/arena_offsets.h"

#include <stdbool.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool are_together(const tune_arena_buffer *a, const tune_arena_buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

static bool are_apart(const tune_arena_buffer *a, const tune_arena_buffer *b) {
  return a->offset + a->size <= b->offset || b->offset + b->size <= a->offset;
}

// Places them, and sees that what is needed at one time has no byte in common. Returns the size of
// the block over the bound.
static double place(tune_arena_buffer *buffers, size_t count) {
  int64_t size = -1, bound = tune_arena_bound(buffers, count);
  assert_true(tune_status_is_ok(tune_arena_place(buffers, count, &size)));
  assert_true(size >= bound);
  for (size_t i = 0; i < count; ++i) {
    assert_true(buffers[i].offset >= 0 && buffers[i].offset + buffers[i].size <= size);
    assert_int_equal(buffers[i].offset % TUNE_ARENA_ALIGNMENT, 0);
    for (size_t k = 0; k < i; ++k)
      assert_true(!are_together(&buffers[i], &buffers[k]) || are_apart(&buffers[i], &buffers[k]));
  }
  return count ? (double)size / (double)bound : 1;
}

static void chains_take_two_at_once(void **state) {
  (void)state;
  enum { LENGTH = 50 };
  tune_arena_buffer buffers[LENGTH];
  for (size_t i = 0; i < LENGTH; ++i)
    buffers[i] = (tune_arena_buffer){.size = 1000, .first = i, .last = i + 1};
  assert_int_equal(tune_arena_bound(buffers, LENGTH), 2 * 1024);
  assert_true(place(buffers, LENGTH) == 1);
}

static void none_take_nothing(void **state) {
  (void)state;
  int64_t size = -1;
  assert_true(tune_status_is_ok(tune_arena_place(NULL, 0, &size)));
  assert_int_equal(size, 0);
  assert_int_equal(tune_arena_bound(NULL, 0), 0);
}

// A residual goes around two steps, as in networks; sizes change from block to block.
static void residuals_are_near_the_bound(void **state) {
  (void)state;
  enum { BLOCKS = 40, BUFFERS = 3 * BLOCKS };
  tune_arena_buffer buffers[BUFFERS];
  for (size_t b = 0; b < BLOCKS; ++b) {
    int64_t size = 3211264 >> (b / 10);
    buffers[3 * b] = (tune_arena_buffer){.size = size, .first = 3 * b, .last = 3 * b + 3};
    buffers[3 * b + 1] =
        (tune_arena_buffer){.size = size / 4, .first = 3 * b + 1, .last = 3 * b + 2};
    buffers[3 * b + 2] =
        (tune_arena_buffer){.size = size / 4, .first = 3 * b + 2, .last = 3 * b + 3};
  }
  assert_true(place(buffers, BUFFERS) <= 1.05);
}

static void any_buffers_lie_apart(void **state) {
  (void)state;
  enum { MOST = 60, ROUNDS = 300 };
  tune_arena_buffer buffers[MOST];
  double sum = 0;
  srand(1);
  for (size_t round = 0; round < ROUNDS; ++round) {
    size_t count = 1 + (size_t)rand() % MOST;
    for (size_t i = 0; i < count; ++i) {
      size_t first = (size_t)rand() % 40;
      buffers[i] = (tune_arena_buffer){.size = 1 + rand() % 10000,
                                       .first = first,
                                       .last = first + (size_t)rand() % (rand() % 5 ? 4 : 40)};
    }
    sum += place(buffers, count);
  }
  assert_true(sum / ROUNDS <= 1.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_take_two_at_once),
      cmocka_unit_test(none_take_nothing),
      cmocka_unit_test(residuals_are_near_the_bound),
      cmocka_unit_test(any_buffers_lie_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
