//===- runtime_test.c -------------------------------------------------------------===//

#include "targets/runtime/runtime.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

//===- The arena ------------------------------------------------------------------===//

// Memory is aligned as asked for, at least to 64, and all of it may be written.
static void arena_aligns_and_gives_enough(void **state) {
  (void)state;
  size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 4095, 4097, 100000, 5000001};
  size_t alignments[] = {1, 8, 64, 128, 4096, 65536};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    for (size_t j = 0; j < sizeof alignments / sizeof *alignments; ++j) {
      char *memory = _mlir_memref_to_llvm_aligned_alloc(alignments[j], sizes[i]);
      assert_non_null(memory);
      size_t expected = alignments[j] < 64 ? 64 : alignments[j];
      assert_int_equal((uintptr_t)memory % expected, 0);
      memset(memory, 0xa5, sizes[i]);
      _mlir_memref_to_llvm_free(memory);
    }
  tune_runtime_trim();
}

// Freed memory is handed out again to the same size and to slightly smaller ones, and not to
// larger ones or to much smaller ones, which would keep it from those that need it.
static void arena_reuses_blocks_of_like_size(void **state) {
  (void)state;
  tune_runtime_trim();
  void *first = tune_runtime_allocate(1 << 20);
  tune_runtime_free(first);
  void *again = tune_runtime_allocate(1 << 20);
  assert_ptr_equal(again, first);
  tune_runtime_free(again);
  void *smaller = tune_runtime_allocate(900 << 10);
  assert_ptr_equal(smaller, first);
  tune_runtime_free(smaller);
  void *larger = tune_runtime_allocate((1 << 20) + 1);
  assert_ptr_not_equal(larger, first);
  void *tiny = tune_runtime_allocate(1 << 10);
  assert_ptr_not_equal(tiny, first);
  tune_runtime_free(larger);
  tune_runtime_free(tiny);
  tune_runtime_trim();
}

static void *take_and_free(void *argument) {
  void **out_block = argument;
  *out_block = tune_runtime_allocate(1 << 20);
  tune_runtime_free(*out_block);
  return NULL;
}

// Of several free blocks a thread gets the one that it had, which is in its core's cache; the one
// freed last where it had none.
static void arena_gives_threads_their_own_blocks(void **state) {
  (void)state;
  tune_runtime_trim();
  void *own = tune_runtime_allocate(1 << 20), *others;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, take_and_free, &others), 0);
  pthread_join(thread, NULL);
  assert_ptr_not_equal(others, own);
  void *other_own = tune_runtime_allocate(1 << 20); // takes over the thread's
  assert_ptr_equal(other_own, others);
  tune_runtime_free(own);
  tune_runtime_free(other_own);
  // Taken and freed last by the thread, which has none of its own left.
  assert_int_equal(pthread_create(&thread, NULL, take_and_free, &others), 0);
  pthread_join(thread, NULL);
  assert_ptr_equal(others, other_own);
  void *first = tune_runtime_allocate(1 << 20), *second = tune_runtime_allocate(1 << 20);
  assert_ptr_equal(first, own);
  assert_ptr_equal(second, others);
  tune_runtime_free(first);
  tune_runtime_free(second);
  tune_runtime_trim();
}

// A block kept for a weak alignment does not serve a strong one.
static void arena_respects_alignment_when_reusing(void **state) {
  (void)state;
  tune_runtime_trim();
  for (int round = 0; round < 50; ++round) {
    void *weak = tune_runtime_allocate(3000);
    tune_runtime_free(weak);
    void *strong = _mlir_memref_to_llvm_aligned_alloc(16384, 3000);
    assert_int_equal((uintptr_t)strong % 16384, 0);
    tune_runtime_free(strong);
  }
  tune_runtime_trim();
}

static void arena_says_null_for_absurd_sizes(void **state) {
  (void)state;
  assert_null(tune_runtime_allocate(SIZE_MAX));
  assert_null(tune_runtime_allocate((size_t)1 << 61));
  tune_runtime_free(NULL);
}

// What is guarded is all ones at first, also where it was used before; what changes around it is
// counted, while it is there and after it is gone. What is not guarded goes on as before.
static void guarded_memory_shows_what_goes_wrong(void **state) {
  (void)state;
  unsigned char *before = tune_runtime_allocate(1000);
  tune_runtime_guard(true);
  for (int round = 0; round < 2; ++round) {
    unsigned char *memory = _mlir_memref_to_llvm_aligned_alloc(4096, 1000);
    assert_int_equal((uintptr_t)memory % 4096, 0);
    for (int i = 0; i < 1000; ++i)
      assert_int_equal(memory[i], 0xff);
    memset(memory, round, 1000);
    tune_runtime_free(memory);
  }
  assert_int_equal(tune_runtime_overwritten(), 0);
  unsigned char *past = tune_runtime_allocate(1000), *ahead = tune_runtime_allocate(0);
  memset(past + 1000, 0, 3);
  float sum;
  memcpy(&sum, past + 1024, 4);
  sum += 1; // which would not show in a NaN
  memcpy(past + 1024, &sum, 4);
  ahead[-1] = 0;
  size_t overwritten = tune_runtime_overwritten();
  assert_true(overwritten > 4);
  tune_runtime_free(past);
  tune_runtime_guard(false);
  unsigned char *after = tune_runtime_allocate(1000);
  memset(after, 0, 1000);
  tune_runtime_free(before);
  tune_runtime_free(ahead);
  tune_runtime_free(after);
  assert_int_equal(tune_runtime_overwritten(), overwritten);
  assert_ptr_equal(tune_runtime_allocate(1000), after);
  tune_runtime_free(after);
  tune_runtime_trim();
}

#define THREADS 4
#define ROUNDS 20000

// Each thread writes its own mark into its blocks and finds it again: no block is given out twice.
static void *churn(void *argument) {
  unsigned char mark = (unsigned char)(uintptr_t)argument;
  bool *failed = calloc(1, sizeof *failed);
  void *held[8] = {0};
  size_t held_size[8] = {0};
  unsigned random = mark;
  for (int i = 0; i < ROUNDS; ++i) {
    random = random * 1103515245 + 12345;
    size_t slot = random >> 16 & 7;
    for (size_t j = 0; j < held_size[slot]; j += 64)
      *failed |= ((unsigned char *)held[slot])[j] != mark;
    tune_runtime_free(held[slot]);
    held_size[slot] = random >> 20 & 1023;
    held[slot] = tune_runtime_allocate(held_size[slot]);
    memset(held[slot], mark, held_size[slot]);
  }
  for (size_t slot = 0; slot < 8; ++slot)
    tune_runtime_free(held[slot]);
  return failed;
}

static void arena_serves_threads(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
  for (int i = 0; i < THREADS; ++i) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_false(*(bool *)failed);
    free(failed);
  }
  tune_runtime_trim();
}

//===- memrefCopy -----------------------------------------------------------------===//

typedef struct descriptor3 {
  void *allocated, *aligned;
  int64_t offset, sizes[3], strides[3];
} descriptor3;

// Copies a 3-D memref of `element_size`-byte elements between the given layouts and compares with
// the definition, element by element; nothing else in the destination changes.
static void check_copy(int64_t element_size, const int64_t *sizes, const int64_t *source_strides,
                       const int64_t *destination_strides) {
  enum { BYTES = 1 << 16 };
  static unsigned char source[BYTES], destination[BYTES], expected[BYTES];
  for (int i = 0; i < BYTES; ++i) {
    source[i] = (unsigned char)(i * 7 + i / 256);
    destination[i] = expected[i] = (unsigned char)(i * 13);
  }
  descriptor3 from = {.aligned = source, .offset = 5}, to = {.aligned = destination, .offset = 3};
  for (int d = 0; d < 3; ++d) {
    from.sizes[d] = to.sizes[d] = sizes[d];
    from.strides[d] = source_strides[d];
    to.strides[d] = destination_strides[d];
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    for (int64_t j = 0; j < sizes[1]; ++j)
      for (int64_t k = 0; k < sizes[2]; ++k) {
        int64_t a = 5 + i * source_strides[0] + j * source_strides[1] + k * source_strides[2];
        int64_t b = 3 + i * destination_strides[0] + j * destination_strides[1] +
                    k * destination_strides[2];
        memcpy(expected + b * element_size, source + a * element_size, (size_t)element_size);
      }
  tune_unranked_memref unranked_from = {3, &from}, unranked_to = {3, &to};
  memrefCopy(element_size, &unranked_from, &unranked_to);
  assert_memory_equal(destination, expected, BYTES);
}

static void memref_copy_follows_strides(void **state) {
  (void)state;
  for (int64_t element_size = 1; element_size <= 16; element_size *= 2) {
    // contiguous; row slices; column slices; transposed; a size of 1 with an odd stride; empty
    check_copy(element_size, (int64_t[]){4, 5, 6}, (int64_t[]){30, 6, 1}, (int64_t[]){30, 6, 1});
    check_copy(element_size, (int64_t[]){4, 5, 6}, (int64_t[]){80, 8, 1}, (int64_t[]){30, 6, 1});
    check_copy(element_size, (int64_t[]){4, 5, 6}, (int64_t[]){90, 18, 3}, (int64_t[]){60, 12, 2});
    check_copy(element_size, (int64_t[]){4, 5, 6}, (int64_t[]){30, 6, 1}, (int64_t[]){1, 4, 20});
    check_copy(element_size, (int64_t[]){4, 5, 1}, (int64_t[]){5, 1, 77}, (int64_t[]){10, 2, 99});
    check_copy(element_size, (int64_t[]){4, 0, 6}, (int64_t[]){30, 6, 1}, (int64_t[]){30, 6, 1});
  }
  check_copy(12, (int64_t[]){4, 5, 6}, (int64_t[]){90, 18, 3}, (int64_t[]){60, 12, 2});
}

static void memref_copy_of_rank_zero(void **state) {
  (void)state;
  double source[2] = {1, 2}, destination[2] = {3, 4};
  struct {
    void *allocated, *aligned;
    int64_t offset;
  } from = {source, source, 1}, to = {destination, destination, 0};
  memrefCopy(8, &(tune_unranked_memref){0, &from}, &(tune_unranked_memref){0, &to});
  assert_true(destination[0] == 2 && destination[1] == 4);
}

//===- f16 and bf16 ---------------------------------------------------------------===//

static uint16_t low_bits(tune_half_register value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)bits;
}

static tune_half_register in_register(uint16_t bits) {
  uint32_t wide = bits | 0xdead0000; // what is above the low 16 bits must not matter
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

// The value of a narrow float by its definition.
static double value_of(uint16_t bits, int exponent_bits, int mantissa_bits) {
  int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  int mantissa = bits & ((1 << mantissa_bits) - 1);
  int bias = (1 << (exponent_bits - 1)) - 1;
  double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

// All 65536 values, exactly.
static void f16_extends_exactly(void **state) {
  (void)state;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    double expected = value_of((uint16_t)bits, 5, 10);
    float got = __extendhfsf2(in_register((uint16_t)bits));
    if (isnan(expected)) {
      assert_true(isnan(got));
      continue;
    }
    assert_true(got == expected);
    assert_int_equal(signbit(got) != 0, bits >> 15);
  }
}

// Each value, each midpoint to its successor, and a hair to both sides of the midpoint: that is
// every way in which rounding can go wrong. From double a hair is 2^-40, so that a conversion
// by way of float, which rounds twice, is caught.
static void check_narrowing(int exponent_bits, int mantissa_bits,
                            tune_half_register (*from_float)(float),
                            tune_half_register (*from_double)(double)) {
  uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << mantissa_bits);
  for (unsigned sign = 0; sign < 65536; sign += 32768)
    for (unsigned magnitude = 0; magnitude < infinity; ++magnitude) {
      uint16_t bits = (uint16_t)(sign | magnitude);
      double value = value_of(bits, exponent_bits, mantissa_bits);
      double next = value_of((uint16_t)(bits + 1), exponent_bits, mantissa_bits);
      if (isinf(next)) // overflow begins half a step above the largest value
        next = 2 * value - value_of((uint16_t)(bits - 1), exponent_bits, mantissa_bits);
      double middle = (value + next) / 2, hair = (next - value) * 0x1p-40;
      uint16_t even = (uint16_t)(bits + (bits & 1));
      assert_int_equal(low_bits(from_double(value)), bits);
      assert_int_equal(low_bits(from_double(middle)), even);
      assert_int_equal(low_bits(from_double(middle - hair)), bits);
      assert_int_equal(low_bits(from_double(middle + hair)), bits + 1);
      // In float the middle is exact, except between subnormals of bf16 next to zero.
      if ((double)(float)middle != middle)
        continue;
      assert_int_equal(low_bits(from_float((float)value)), bits);
      assert_int_equal(low_bits(from_float((float)middle)), even);
      assert_int_equal(low_bits(from_float(nextafterf((float)middle, (float)value))), bits);
      assert_int_equal(low_bits(from_float(nextafterf((float)middle, 2 * (float)next))), bits + 1);
    }
  assert_int_equal(low_bits(from_float(INFINITY)), infinity);
  assert_int_equal(low_bits(from_double(-INFINITY)), infinity | 0x8000);
  assert_int_equal(low_bits(from_double(1e300)), infinity);
  assert_int_equal(low_bits(from_double(-5e-324)), 0x8000);
  assert_true(isnan(value_of(low_bits(from_float(NAN)), exponent_bits, mantissa_bits)));
  uint32_t signaling_bits = 0x7f800001; // its payload is all cut off
  float signaling;
  memcpy(&signaling, &signaling_bits, sizeof signaling);
  assert_true(isnan(value_of(low_bits(from_float(signaling)), exponent_bits, mantissa_bits)));
  assert_true(isnan(value_of(low_bits(from_double(NAN)), exponent_bits, mantissa_bits)));
}

static void f16_rounds_to_nearest_even(void **state) {
  (void)state;
  check_narrowing(5, 10, __truncsfhf2, __truncdfhf2);
}

static void bf16_rounds_to_nearest_even(void **state) {
  (void)state;
  check_narrowing(8, 7, __truncsfbf2, __truncdfbf2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_aligns_and_gives_enough),
      cmocka_unit_test(arena_reuses_blocks_of_like_size),
      cmocka_unit_test(arena_gives_threads_their_own_blocks),
      cmocka_unit_test(arena_respects_alignment_when_reusing),
      cmocka_unit_test(arena_says_null_for_absurd_sizes),
      cmocka_unit_test(guarded_memory_shows_what_goes_wrong),
      cmocka_unit_test(arena_serves_threads),
      cmocka_unit_test(memref_copy_follows_strides),
      cmocka_unit_test(memref_copy_of_rank_zero),
      cmocka_unit_test(f16_extends_exactly),
      cmocka_unit_test(f16_rounds_to_nearest_even),
      cmocka_unit_test(bf16_rounds_to_nearest_even),
  };
  return cmocka_run_group_tests_name("targets/runtime", tests, NULL, NULL);
}
