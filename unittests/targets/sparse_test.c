//===- sparse_test.c ----------------------------------------------------------===//

#include "targets/output_check.h"
#include "targets/sparse.h"
#include "unittests/targets/buffer_elements.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tune_buffer make(tune_element_type element, int64_t rows, int64_t columns) {
  tune_value_type type = {.element = element, .rank = 2, .shape = {rows, columns}};
  tune_buffer buffer;
  assert_null(tune_buffer_init(&buffer, &type));
  return buffer;
}

//===- Values -----------------------------------------------------------------===//

#define COUNT 20000

// Zeros of both signs, more of them for longer sums, integers, denormal numbers and others; the
// same each time, none negative where that is asked for, and none that may not be.
static void values_are_sparse(void **state) {
  (void)state;
  const tune_element_type elements[] = {TUNE_F16, TUNE_BF16, TUNE_F32, TUNE_F64};
  for (size_t e = 0; e < 4; ++e)
    for (int tame = 0; tame < 2; ++tame) {
      tune_buffer a = make(elements[e], 100, COUNT / 100), b = make(elements[e], 100, COUNT / 100);
      tune_sparse_fill fill = {.seed = 3, .reduction = 1024, .has_edges = !tame, .index_limit = 1};
      tune_buffer_fill_sparsely(&a, &fill);
      tune_buffer_fill_sparsely(&b, &fill);
      assert_memory_equal(a.data, b.data, a.size);
      size_t zeros = 0, negative_zeros = 0, integers = 0, denormal = 0, large = 0, others = 0;
      for (size_t i = 0; i < COUNT; ++i) {
        double value = at(&a, i);
        zeros += value == 0;
        negative_zeros += value == 0 && signbit(value);
        bool is_denormal =
            value != 0 && fabs(value) < tune_element_type_smallest_normal(elements[e]);
        denormal += is_denormal;
        integers += value != 0 && value == rint(value);
        others += !is_denormal && value != rint(value);
        large += fabs(value) > 1;
      }
      assert_in_range(zeros, COUNT * 92 / 100, COUNT * 95 / 100); // 1 of 16 is none
      assert_in_range(negative_zeros, zeros * 45 / 100, zeros * 55 / 100);
      assert_true(others > 100 && integers > 100);
      assert_true((denormal > 0) == !tame && (large > 0) == !tame);
      fill.is_positive = true;
      fill.reduction = 1;
      tune_buffer_fill_sparsely(&a, &fill);
      for (size_t i = zeros = 0; i < COUNT; ++i) {
        assert_false(signbit(at(&a, i)));
        zeros += at(&a, i) == 0;
      }
      assert_in_range(zeros, COUNT * 47 / 100, COUNT * 53 / 100);
      tune_buffer_deinit(&a);
      tune_buffer_deinit(&b);
    }
}

// Large ones are zeros, as many, and numbers of which exp is infinite, or zero, and a product of
// two is not.
static void large_values_are_far_out(void **state) {
  (void)state;
  const tune_element_type elements[] = {TUNE_F16, TUNE_BF16, TUNE_F32, TUNE_F64};
  for (size_t e = 0; e < 4; ++e) {
    tune_buffer a = make(elements[e], 100, COUNT / 100);
    // exp overflows in each type: at 11, 88.7, 88.7 and 709.
    const double least[] = {17, 83, 83, 749}, most[] = {25, 113, 113, 1001};
    tune_buffer_fill_sparsely(
        &a,
        &(tune_sparse_fill){
            .seed = 3, .reduction = 1024, .is_large = true, .has_edges = true, .index_limit = 1});
    size_t zeros = 0, negative = 0;
    for (size_t i = 0; i < COUNT; ++i) {
      double value = at(&a, i);
      zeros += value == 0;
      negative += value < 0;
      assert_true(value == 0 || (fabs(value) > least[e] && fabs(value) < most[e]));
    }
    assert_in_range(zeros, COUNT * 92 / 100, COUNT * 95 / 100);
    assert_in_range(negative, (COUNT - zeros) * 45 / 100, (COUNT - zeros) * 55 / 100);
    tune_buffer_deinit(&a);
  }
}

// Integers reach to both ends of their type, or of an i8; without edges, and where they may index
// something, they are as ever.
static void integers_have_their_ends(void **state) {
  (void)state;
  const tune_element_type elements[] = {TUNE_I8, TUNE_I16, TUNE_I32, TUNE_I64};
  for (size_t e = 0; e < 4; ++e)
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
      tune_buffer a = make(elements[e], 100, 20), usual = make(elements[e], 100, 20);
      tune_sparse_fill fill = {
          .seed = 3, .has_edges = true, .has_wide_integers = is_wide, .index_limit = 4};
      tune_buffer_fill_sparsely(&a, &fill);
      double end = ldexp(1, is_wide ? 8 * (int)tune_element_type_size(elements[e]) - 1 : 7);
      double lowest = 0, highest = 0;
      size_t zeros = 0;
      for (size_t i = 0; i < 2000; ++i) {
        lowest = fmin(lowest, at(&a, i));
        highest = fmax(highest, at(&a, i));
        zeros += at(&a, i) == 0;
      }
      assert_true(lowest == -end);
      assert_true(highest == (elements[e] == TUNE_I64 && is_wide ? end : end - 1)); // as a double
      assert_in_range(zeros, 900, 1100);
      fill.has_edges = false;
      tune_buffer_fill_sparsely(&a, &fill);
      tune_buffer_fill(&usual, 3, TUNE_FILL_SIGNED, 4);
      assert_memory_equal(a.data, usual.data, a.size);
      tune_buffer_deinit(&a);
      tune_buffer_deinit(&usual);
    }
  tune_buffer a = make(TUNE_INDEX, 10, 10);
  tune_buffer_fill_sparsely(&a, &(tune_sparse_fill){.has_edges = true, .index_limit = 4});
  for (size_t i = 0; i < 100; ++i)
    assert_true(at(&a, i) >= 0 && at(&a, i) < 4);
  tune_buffer_deinit(&a);
}

//===- Products ---------------------------------------------------------------===//

#define SIZE 24
#define LENGTH 1024

typedef enum how { PLAIN, REVERSED, BLOCKED, WITHOUT_ONE, ONE_TWICE, SWAPPED } how;

// A product whose sums are kept in `sums`, right in the first three ways.
static void multiply(const tune_buffer *a, const tune_buffer *b, tune_element_type sums, how way,
                     tune_buffer *out) {
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) {
      double lanes[8] = {0};
      for (int k = 0; k < LENGTH; ++k) {
        int term = way == REVERSED ? LENGTH - 1 - k : k;
        int times = term != 700 ? 1 : way == WITHOUT_ONE ? 0 : way == ONE_TWICE ? 2 : 1;
        int other = way == SWAPPED && term >= 700 && term < 702 ? 1401 - term : term;
        double *sum = &lanes[way == BLOCKED ? k % 8 : 0];
        for (int t = 0; t < times; ++t)
          *sum = rounded(sums, *sum + rounded(sums, at(a, (size_t)(i * LENGTH + term)) *
                                                        at(b, (size_t)(other * SIZE + j))));
      }
      for (int lane = 1; lane < 8; ++lane)
        lanes[0] = rounded(sums, lanes[0] + lanes[lane]);
      set(out, (size_t)(i * SIZE + j), lanes[0]);
    }
}

// One term of 1024 that is left out, doubled or exchanged is found, though sums are kept in f16 or
// the operands are bf16; another order of the sum is not. Dense inputs do not tell with f16. Of
// all terms exact inputs do (exact_test.c).
static void single_terms_show_in_products(void **state) {
  (void)state;
  const struct {
    tune_element_type operands, sums;
  } cases[] = {{TUNE_F16, TUNE_F16}, {TUNE_BF16, TUNE_F32}, {TUNE_F32, TUNE_F32}};
  for (size_t c = 0; c < 3; ++c)
    for (int is_sparse = 0; is_sparse < 2; ++is_sparse) {
      tune_buffer a = make(cases[c].operands, SIZE, LENGTH),
                  b = make(cases[c].operands, LENGTH, SIZE);
      tune_buffer right = make(cases[c].sums, SIZE, SIZE), value = make(cases[c].sums, SIZE, SIZE);
      float *leeways = calloc(SIZE * SIZE, sizeof *leeways);
      tune_disturbance by = {
          .size = tune_disturbance_size(tune_element_type_unit_roundoff(cases[c].sums), LENGTH)};
      tune_buffer *inputs[] = {&a, &b};
      for (uint64_t i = 0; i < 2; ++i) {
        tune_sparse_fill fill = {
            .seed = i, .reduction = LENGTH, .has_edges = true, .index_limit = 1};
        if (is_sparse)
          tune_buffer_fill_sparsely(inputs[i], &fill);
        else
          tune_buffer_fill(inputs[i], i, TUNE_FILL_SIGNED, 1);
      }
      multiply(&a, &b, cases[c].sums, PLAIN, &right);
      if (is_sparse)
        for (int way = 0; way < 2; ++way) {
          tune_buffer moved_a, moved_b;
          assert_null(tune_buffer_init_copy(&moved_a, &a));
          assert_null(tune_buffer_init_copy(&moved_b, &b));
          by.is_mirrored = way == 1;
          tune_buffer_disturb(&moved_a, 0, &by);
          tune_buffer_disturb(&moved_b, 1, &by);
          multiply(&moved_a, &moved_b, cases[c].sums, PLAIN, &value);
          tune_sparse_raise_leeways(&right, &value, &by, leeways);
          tune_buffer_deinit(&moved_a);
          tune_buffer_deinit(&moved_b);
        }
      tune_tolerance tolerance = {.reduction = LENGTH, .leeways = is_sparse ? leeways : NULL};
      for (how way = PLAIN; way <= SWAPPED; ++way) {
        multiply(&a, &b, cases[c].sums, way, &value);
        bool is_equal = tune_output_check_run(&value, &right, tolerance).is_equal;
        bool is_hidden = !is_sparse && cases[c].sums == TUNE_F16;
        bool is_known = is_sparse || cases[c].sums != TUNE_F16 || way != SWAPPED;
        if (is_known && is_equal != (way <= BLOCKED || is_hidden))
          fail_msg("case %zu, %s, way %d", c, is_sparse ? "sparse" : "dense", way);
      }
      free(leeways);
      tune_buffer *all[] = {&a, &b, &right, &value};
      for (size_t i = 0; i < 4; ++i)
        tune_buffer_deinit(all[i]);
    }
}

//===- Leeways ----------------------------------------------------------------===//

// An element that moves far may differ so far, one that changes between what is a number and what
// is none may be anything, as may integers that move; the others are held to what they are.
static void leeways_follow_what_moves(void **state) {
  (void)state;
  tune_disturbance by = {.size = 0x1p-20};
  tune_buffer right = make(TUNE_F32, 1, 1000), moved, value;
  for (size_t i = 0; i < 1000; ++i)
    set(&right, i, 1);
  set(&right, 5, INFINITY);
  set(&right, 7, INFINITY);
  assert_null(tune_buffer_init_copy(&moved, &right));
  assert_null(tune_buffer_init_copy(&value, &right));
  set(&moved, 3, 1.01);
  set(&moved, 5, 2);
  float leeways[1000] = {0};
  tune_sparse_raise_leeways(&right, &moved, &by, leeways);
  assert_true(isinf(leeways[5]) && leeways[7] == 0 && leeways[3] > 0.03f && leeways[4] < 1e-3f);
  tune_tolerance tolerance = {.reduction = 1, .leeways = leeways};
  set(&value, 3, 0.98);
  set(&value, 5, NAN);
  assert_true(tune_output_check_run(&value, &right, tolerance).is_equal);
  set(&value, 4, 1.001);
  assert_false(tune_output_check_run(&value, &right, tolerance).is_equal);
  set(&value, 4, 1);
  set(&value, 7, 1e38);
  assert_false(tune_output_check_run(&value, &right, tolerance).is_equal);
  tune_buffer *all[] = {&right, &moved, &value};
  for (size_t i = 0; i < 3; ++i)
    tune_buffer_deinit(all[i]);

  tune_buffer whole = make(TUNE_I8, 1, 10), other;
  assert_null(tune_buffer_init_copy(&other, &whole));
  set(&other, 2, 1);
  memset(leeways, 0, sizeof leeways);
  tune_sparse_raise_leeways(&whole, &other, &by, leeways);
  assert_true(tune_output_check_run(&other, &whole, tolerance).is_equal);
  set(&other, 3, 1);
  assert_false(tune_output_check_run(&other, &whole, tolerance).is_equal);
  tune_buffer_deinit(&whole);
  tune_buffer_deinit(&other);
}

// All floats move, zeros too, by as little as their type allows, and the other way if mirrored.
static void all_inputs_move(void **state) {
  (void)state;
  const tune_element_type elements[] = {TUNE_F16, TUNE_BF16, TUNE_F32, TUNE_F64};
  for (size_t e = 0; e < 4; ++e) {
    tune_buffer a = make(elements[e], 100, 20), up, down;
    tune_sparse_fill fill = {.seed = 1, .reduction = 16, .has_edges = true, .index_limit = 1};
    tune_buffer_fill_sparsely(&a, &fill);
    assert_null(tune_buffer_init_copy(&up, &a));
    assert_null(tune_buffer_init_copy(&down, &a));
    tune_buffer_disturb(&up, 7, &(tune_disturbance){.size = 1e-6});
    tune_buffer_disturb(&down, 7, &(tune_disturbance){.size = 1e-6, .is_mirrored = true});
    double roundoff = tune_element_type_unit_roundoff(elements[e]);
    for (size_t i = 0; i < 2000; ++i) {
      double by = at(&up, i) - at(&a, i), back = at(&down, i) - at(&a, i);
      assert_true(by != 0 && back != 0);
      if (fabs(at(&a, i)) > 0.01)
        assert_true((by < 0) != (back < 0));
      bool is_tiny = fabs(at(&a, i)) < tune_element_type_smallest_normal(elements[e]);
      double relative = is_tiny ? 1 : fmax(1e-6, 6 * roundoff);
      assert_true(fabs(by) <= relative * fabs(at(&a, i)) + 2e-6);
    }
    tune_buffer_deinit(&a);
    tune_buffer_deinit(&up);
    tune_buffer_deinit(&down);
  }
}

// Zeros that are to stay keep their sign.
static void zeros_stay(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_F32, 1, 100);
  for (size_t i = 0; i < 100; ++i)
    set(&a, i, i % 2 ? -0.0 : 0.0);
  for (int way = 0; way < 2; ++way) {
    tune_buffer moved;
    assert_null(tune_buffer_init_copy(&moved, &a));
    tune_buffer_disturb(&moved, 7,
                        &(tune_disturbance){.size = 1e-6, .keeps_zeros = true, .is_mirrored = way});
    assert_memory_equal(moved.data, a.data, a.size);
    tune_buffer_deinit(&moved);
  }
  tune_buffer_deinit(&a);
}

// What a reference does that leans: twice as far as an element moved is its leeway, nobody else's,
// and an integer that moved is not compared.
static void leeways_follow_what_leans(void **state) {
  (void)state;
  tune_buffer right = make(TUNE_F32, 1, 10), leant, value;
  assert_null(tune_buffer_init_copy(&leant, &right));
  assert_null(tune_buffer_init_copy(&value, &right));
  float leeways[10] = {0};
  double was = tune_element_load(TUNE_F32, (char *)right.data + 3 * sizeof(float));
  set(&leant, 3, was + 0.5);
  set(&leant, 5, NAN);
  tune_leeways_raise(&right, &leant, leeways);
  tune_leeways_raise(&right, &right, leeways); // takes nothing back
  assert_true(fabs((double)leeways[3] - 1) < 1e-6 && isinf(leeways[5]) && leeways[4] == 0);
  tune_tolerance tolerance = {.reduction = 1, .leeways = leeways};
  set(&value, 3, was + 0.9);
  set(&value, 5, 7);
  assert_true(tune_output_check_run(&value, &right, tolerance).is_equal);
  set(&value, 3, was + 1.5);
  assert_false(tune_output_check_run(&value, &right, tolerance).is_equal);
  tune_buffer *all[] = {&right, &leant, &value};
  for (size_t i = 0; i < 3; ++i)
    tune_buffer_deinit(all[i]);

  tune_buffer whole = make(TUNE_I8, 1, 10), other;
  assert_null(tune_buffer_init_copy(&other, &whole));
  set(&other, 2, 1);
  memset(leeways, 0, sizeof leeways);
  tune_leeways_raise(&whole, &other, leeways);
  assert_true(isinf(leeways[2]) && leeways[3] == 0);
  tune_buffer_deinit(&whole);
  tune_buffer_deinit(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_sparse),         cmocka_unit_test(large_values_are_far_out),
      cmocka_unit_test(integers_have_their_ends),  cmocka_unit_test(single_terms_show_in_products),
      cmocka_unit_test(leeways_follow_what_moves), cmocka_unit_test(leeways_follow_what_leans),
      cmocka_unit_test(all_inputs_move),           cmocka_unit_test(zeros_stay),
  };
  return cmocka_run_group_tests_name("targets/sparse", tests, NULL, NULL);
}
