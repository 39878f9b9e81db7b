//===- output_check_test.c -------------------------------------------------------------------===//

#include "targets/output_check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tune_buffer make(tune_element_type element, int64_t rows, int64_t columns) {
  tune_value_type type = {.element = element, .rank = 2, .shape = {rows, columns}};
  tune_buffer buffer;
  assert_null(tune_buffer_init(&buffer, &type));
  tune_buffer_fill(&buffer, 5, TUNE_FILL_SIGNED, 50);
  return buffer;
}

static tune_output_check check(const tune_buffer *value, const tune_buffer *reference,
                               int64_t reduction) {
  return tune_output_check_run(value, reference, (tune_tolerance){.reduction = reduction});
}

static void equal_buffers_are_equal(void **state) {
  (void)state;
  for (tune_element_type element = 0; element < TUNE_ELEMENT_TYPE_COUNT; ++element) {
    tune_buffer a = make(element, 7, 9);
    tune_output_check c = check(&a, &a, 1);
    assert_true(c.is_equal);
    assert_int_equal(c.element_count, 63);
    assert_true(c.max_error == 0 && c.wrong_count == 0);
    tune_buffer_deinit(&a);
  }
}

// Sums of products in two orders and two precisions, as candidates make them, are right at every
// length; the same with one product of them left out are wrong.
static void sums_in_another_order_are_right_and_short_ones_wrong(void **state) {
  (void)state;
  const int64_t lengths[] = {1, 16, 256, 1024, 4096};
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
    int64_t length = lengths[l];
    tune_buffer a = make(TUNE_F32, 40, length), b = make(TUNE_F32, length, 40);
    tune_buffer_fill(&b, 77, TUNE_FILL_SIGNED, 1);
    tune_buffer plain = make(TUNE_F32, 40, 40), blocked = make(TUNE_F32, 40, 40);
    tune_buffer short_by_one = make(TUNE_F32, 40, 40);
    const float *x = a.data, *y = b.data;
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = 0; j < 40; ++j) {
        float sum = 0, lanes[16] = {0}, total = 0;
        for (int64_t k = 0; k < length; ++k) {
          sum += x[i * length + k] * y[k * 40 + j];
          lanes[k % 16] = fmaf(x[i * length + k], y[k * 40 + j], lanes[k % 16]);
        }
        for (int k = 0; k < 16; ++k)
          total += lanes[k];
        ((float *)plain.data)[i * 40 + j] = sum;
        ((float *)blocked.data)[i * 40 + j] = total;
        ((float *)short_by_one.data)[i * 40 + j] = sum - x[i * length] * y[j];
      }
    assert_true(check(&blocked, &plain, length).is_equal);
    assert_false(check(&short_by_one, &plain, length).is_equal);
    tune_buffer *all[] = {&a, &b, &plain, &blocked, &short_by_one};
    for (size_t i = 0; i < 5; ++i)
      tune_buffer_deinit(all[i]);
  }
}

// One wrong element among many is found, whatever the type, and said with its place.
static void single_wrong_elements_are_found(void **state) {
  (void)state;
  for (tune_element_type element = 0; element < TUNE_ELEMENT_TYPE_COUNT; ++element) {
    tune_buffer a = make(element, 30, 40), b;
    assert_null(tune_buffer_init_copy(&b, &a));
    char *at = (char *)b.data + 43 * tune_element_type_size(element);
    double value = tune_element_load(element, at);
    tune_element_store(element, element == TUNE_I1 ? !value : value + 1, at);
    tune_output_check c = check(&b, &a, 100);
    assert_false(c.is_equal);
    assert_int_equal(c.worst, 43);
    assert_int_equal(c.wrong_count, 1);
    char *text;
    assert_null(tune_output_check_to_text(&c, &b, &a, &text));
    assert_non_null(strstr(text, "element [1, 3] is "));
    assert_non_null(strstr(text, "1 of 1200 elements are wrong"));
    free(text);
    tune_buffer_deinit(&a);
    tune_buffer_deinit(&b);
  }
}

// A small bias everywhere, within the bound of each element, is found by the mean.
static void a_bias_everywhere_is_found(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_F32, 100, 100), b;
  assert_null(tune_buffer_init_copy(&b, &a));
  tune_tolerance tolerance = {.reduction = 10000};
  double allowed = 8 * 0x1p-24 * 100 * sqrt(1.0 / 3); // of one element
  for (int i = 0; i < 10000; ++i)
    ((float *)b.data)[i] += (float)(0.7 * allowed);
  tune_output_check c = tune_output_check_run(&b, &a, tolerance);
  assert_int_equal(c.wrong_count, 0);
  assert_false(c.is_equal);
  char *text;
  assert_null(tune_output_check_to_text(&c, &b, &a, &text));
  assert_non_null(strstr(text, "root mean square"));
  free(text);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
}

static bool is_right(float value, float expected) {
  tune_value_type type = {.element = TUNE_F32, .rank = 1, .shape = {2}};
  tune_buffer a, b;
  assert_null(tune_buffer_init(&a, &type));
  assert_null(tune_buffer_init(&b, &type));
  memcpy(a.data, (float[]){value, 1}, 8);
  memcpy(b.data, (float[]){expected, 1}, 8);
  tune_output_check c = check(&a, &b, 1);
  assert_true(isfinite(c.max_error) && isfinite(c.tolerance));
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
  return c.is_equal;
}

static void special_values_match_only_themselves(void **state) {
  (void)state;
  assert_true(is_right(NAN, NAN));
  assert_true(is_right(-NAN, NAN));
  assert_true(is_right(INFINITY, INFINITY));
  assert_true(is_right(-0.0f, 0.0f));
  assert_true(is_right(1e-40f, 0.0f)); // flushed subnormal numbers are no error
  assert_false(is_right(NAN, 1));
  assert_false(is_right(1, NAN));
  assert_false(is_right(INFINITY, NAN));
  assert_false(is_right(-INFINITY, INFINITY));
  assert_false(is_right(FLT_MAX, INFINITY));
  assert_false(is_right(INFINITY, FLT_MAX));
}

// The accumulator's type decides how much rounding there may be.
static void a_wider_accumulator_means_less_tolerance(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_BF16, 30, 30), b;
  assert_null(tune_buffer_init_copy(&b, &a));
  char *at = (char *)b.data + 2 * 100;
  tune_element_store(TUNE_BF16, tune_element_load(TUNE_BF16, at) + 0.1, at);
  tune_tolerance loose = {.reduction = 1024};
  tune_tolerance strict = {.reduction = 1024, .has_accumulator = true, .accumulator = TUNE_F32};
  assert_true(tune_output_check_run(&b, &a, loose).is_equal);
  assert_false(tune_output_check_run(&b, &a, strict).is_equal);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
}

typedef float (*rounding)(float value);

static float keep(float value) { return value; }

// Without the last `cut` bits of its fraction, after `add` to what stands there.
static float without_bits(float value, unsigned cut, uint32_t add) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits + add) >> cut << cut;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float round_to_tf32(float value) { return without_bits(value, 13, 1u << 12); }
static float cut_to_tf32(float value) { return without_bits(value, 13, 0); }
static float round_to_bf16(float value) { return without_bits(value, 16, 1u << 15); }

// Sums of products of factors that are rounded, without the first `left_out`.
static tune_buffer multiply(const tune_buffer *a, const tune_buffer *b, rounding round,
                            int64_t left_out) {
  int64_t length = a->type.shape[1];
  const float *x = a->data, *y = b->data;
  tune_buffer out = make(TUNE_F32, 40, 40);
  for (int64_t i = 0; i < 40; ++i)
    for (int64_t j = 0; j < 40; ++j) {
      float sum = 0;
      for (int64_t k = left_out; k < length; ++k)
        sum += round(x[i * length + k]) * round(y[k * 40 + j]);
      ((float *)out.data)[i * 40 + j] = sum;
    }
  return out;
}

// A sum of bf16 that rounds each addition, and the same in double, of 400 rows.
static void sum_rows(int64_t length, bool is_signed, tune_buffer *out_value,
                     tune_buffer *out_exact) {
  tune_buffer terms = make(TUNE_F32, 400, length);
  *out_value = make(TUNE_BF16, 400, 1);
  *out_exact = make(TUNE_BF16, 400, 1);
  for (int64_t i = 0; i < 400; ++i) {
    float sum = 0;
    double exact = 0;
    for (int64_t k = 0; k < length; ++k) {
      float term = round_to_bf16(((const float *)terms.data)[i * length + k]);
      term = is_signed ? term : fabsf(term);
      sum = round_to_bf16(sum + term);
      exact += (double)term;
    }
    tune_element_store(TUNE_BF16, (double)sum, (char *)out_value->data + 2 * i);
    tune_element_store(TUNE_BF16, exact, (char *)out_exact->data + 2 * i);
  }
  tune_buffer_deinit(&terms);
}

// Rounding each addition is right as long as roundings are noise. A sum that stands still is wrong,
// and is so however long it is.
static void sums_that_stand_still_are_wrong(void **state) {
  (void)state;
  static const struct {
    int64_t length;
    bool is_signed, is_right;
  } cases[] = {{128, false, true},   {128, true, true},    {1024, true, true},
               {4096, true, true},   {4096, false, false}, {16384, false, false},
               {65536, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_buffer value, exact;
    sum_rows(cases[i].length, cases[i].is_signed, &value, &exact);
    if (check(&value, &exact, cases[i].length).is_equal != cases[i].is_right)
      fail_msg("%d terms, %s signs", (int)cases[i].length, cases[i].is_signed ? "both" : "equal");
    tune_buffer_deinit(&value);
    tune_buffer_deinit(&exact);
  }
}

// Factors may be rounded or cut to tf32 where that is allowed, and are wrong where it is not; what
// rounds to bf16, or leaves a step of 8 out, is always wrong. (Where nothing cancels but roundings
// do, a long sum shows none of it.)
static void factors_may_be_rounded_where_that_is_allowed(void **state) {
  (void)state;
  static const struct {
    rounding round;
    int64_t left_out;
    bool is_right, is_right_as_tf32, is_right_as_bf16;
  } CASES[] = {{keep, 0, true, true, true},
               {round_to_tf32, 0, false, true, true},
               {cut_to_tf32, 0, false, true, true},
               {round_to_bf16, 0, false, false, true},
               {round_to_tf32, 8, false, false, false},
               {round_to_bf16, 8, false, false, false}};
  for (int64_t length = 16; length <= 4096; length *= 4)
    for (size_t fill = TUNE_FILL_SIGNED; fill <= TUNE_FILL_POSITIVE; ++fill) {
      tune_buffer a = make(TUNE_F32, 40, length), b = make(TUNE_F32, length, 40);
      tune_buffer_fill(&a, 3, (tune_fill)fill, 1);
      tune_buffer_fill(&b, 77, (tune_fill)fill, 1);
      tune_buffer right = multiply(&a, &b, keep, 0);
      for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
        tune_buffer value = multiply(&a, &b, CASES[i].round, CASES[i].left_out);
        tune_tolerance exact = {.reduction = length},
                       tf32 = {.reduction = length, .factors = TUNE_FACTORS_TF32},
                       f16 = {.reduction = length, .factors = TUNE_FACTORS_F16},
                       bf16 = {.reduction = length, .factors = TUNE_FACTORS_BF16};
        bool is_right = tune_output_check_run(&value, &right, exact).is_equal,
             is_right_as_tf32 = tune_output_check_run(&value, &right, tf32).is_equal,
             is_right_as_bf16 = tune_output_check_run(&value, &right, bf16).is_equal;
        if (fill == TUNE_FILL_SIGNED) {
          assert_int_equal(is_right, CASES[i].is_right);
          assert_int_equal(is_right_as_tf32, CASES[i].is_right_as_tf32);
          // A number of f16 has as many digits.
          assert_int_equal(tune_output_check_run(&value, &right, f16).is_equal, is_right_as_tf32);
          // A long sum shows eighth terms in the mean of all, which bf16 has more room for.
          assert_true(is_right_as_bf16 == CASES[i].is_right_as_bf16);
        } else if (CASES[i].is_right_as_tf32) {
          assert_true(is_right_as_tf32);
        }
        tune_buffer_deinit(&value);
      }
      tune_buffer *all[] = {&a, &b, &right};
      for (size_t i = 0; i < 3; ++i)
        tune_buffer_deinit(all[i]);
    }
}

static void factors_are_named(void **state) {
  (void)state;
  tune_tolerance t = {.reduction = 3};
  assert_null(tune_tolerance_take_factors(&t, "bf16,f16"));
  assert_true(t.factors == TUNE_FACTORS_BF16 && t.has_f16_factors && t.reduction == 3);
  assert_null(tune_tolerance_take_factors(&t, "int8"));
  assert_true(t.factors == TUNE_FACTORS_INT8 && !t.has_f16_factors);
  assert_null(tune_tolerance_take_factors(&t, "f16"));
  assert_true(t.factors == TUNE_FACTORS_F16 && t.has_f16_factors);
  assert_null(tune_tolerance_take_factors(&t, NULL));
  assert_true(t.factors == TUNE_FACTORS_AS_GIVEN && !t.has_f16_factors);
  static const char *const BAD[] = {"f1", "f16,", "", "bf16,f17", "f166"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    tune_status status = tune_tolerance_take_factors(&t, BAD[i]);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    tune_status_free(status);
  }
}

// What a report says of the worst element gives its limit by the formula in output_check.h.
static void assert_limit_follows(const tune_output_check *c, double length) {
  double u = 0x1p-24, smallest = 0x1p-126;
  double limit =
      36 * u * fabs(c->expected) + 8 * u * sqrt(length) * c->magnitude + smallest + c->leeway;
  assert_true(fabs(c->tolerance - limit) <= 1e-12 * limit);
}

static void a_limit_follows_from_what_is_reported(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_F32, 30, 30), b;
  assert_null(tune_buffer_init_copy(&b, &a));
  ((float *)b.data)[100] += 1e-3f;
  tune_tolerance tolerance = {.reduction = 400};
  tune_output_check steady = tune_output_check_run(&b, &a, tolerance);
  assert_true(steady.worst == 100 && steady.magnitude > 0 && steady.leeway == 0);
  assert_limit_follows(&steady, 400);
  // S stands for a size of its own where it is larger.
  tolerance.spread = 1e-3;
  tune_output_check sensitive = tune_output_check_run(&b, &a, tolerance);
  assert_true(sensitive.magnitude == 1e-3 * 0x1p24);
  assert_limit_follows(&sensitive, 400);
  float leeways[900] = {[100] = 1e-4f};
  tolerance = (tune_tolerance){.reduction = 400, .leeways = leeways};
  tune_output_check loose = tune_output_check_run(&b, &a, tolerance);
  assert_true(loose.worst == 100 && loose.leeway == 1e-4f);
  assert_limit_follows(&loose, 400);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
}

// Known sensitivity allows for more than the size of the output does, but never for less.
static void a_sensitive_output_means_more_tolerance(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_F32, 30, 30), b;
  assert_null(tune_buffer_init_copy(&b, &a));
  ((float *)b.data)[100] += 1e-3f;
  tune_tolerance steady = {.reduction = 1}, sensitive = steady;
  sensitive.spread = 1e-3;
  assert_false(tune_output_check_run(&b, &a, steady).is_equal);
  assert_true(tune_output_check_run(&b, &a, sensitive).is_equal);
  steady.spread = 1e-30;
  assert_true(tune_output_check_run(&b, &a, steady).tolerance ==
              tune_output_check_run(&b, &a, (tune_tolerance){.reduction = 1}).tolerance);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
}

// 2^53 and its successor are the same double.
static void large_integers_are_compared_exactly(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_I64, 1, 2), b = make(TUNE_I64, 1, 2);
  memcpy(a.data, (int64_t[]){(int64_t)1 << 53, 0}, 16);
  memcpy(b.data, (int64_t[]){((int64_t)1 << 53) + 1, 0}, 16);
  assert_false(check(&a, &b, 1).is_equal);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
}

static void other_shapes_are_wrong_and_empty_ones_right(void **state) {
  (void)state;
  tune_buffer a = make(TUNE_F32, 3, 4), b = make(TUNE_F32, 4, 3), none = make(TUNE_F32, 0, 3);
  tune_output_check c = check(&a, &b, 1);
  assert_false(c.is_equal);
  assert_int_equal(c.element_count, 0);
  char *text;
  assert_null(tune_output_check_to_text(&c, &a, &b, &text));
  assert_string_equal(text, "it is 3x4xf32 where the reference has 4x3xf32");
  free(text);
  assert_true(check(&none, &none, 1).is_equal);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&b);
  tune_buffer_deinit(&none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_buffers_are_equal),
      cmocka_unit_test(sums_in_another_order_are_right_and_short_ones_wrong),
      cmocka_unit_test(single_wrong_elements_are_found),
      cmocka_unit_test(a_bias_everywhere_is_found),
      cmocka_unit_test(special_values_match_only_themselves),
      cmocka_unit_test(a_wider_accumulator_means_less_tolerance),
      cmocka_unit_test(sums_that_stand_still_are_wrong),
      cmocka_unit_test(factors_may_be_rounded_where_that_is_allowed),
      cmocka_unit_test(factors_are_named),
      cmocka_unit_test(a_limit_follows_from_what_is_reported),
      cmocka_unit_test(a_sensitive_output_means_more_tolerance),
      cmocka_unit_test(large_integers_are_compared_exactly),
      cmocka_unit_test(other_shapes_are_wrong_and_empty_ones_right),
  };
  return cmocka_run_group_tests_name("targets/output_check", tests, NULL, NULL);
}
