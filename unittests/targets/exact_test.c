//===- exact_test.c -----------------------------------------------------------===//

#include "targets/exact.h"
#include "targets/output_check.h"
#include "unittests/targets/buffer_elements.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

//===- Products ---------------------------------------------------------------===//

// A product of `rows` rows and `columns` columns with sums of `length` terms, kept in `sums`, and
// the sets of inputs of its plan.
typedef struct product {
  tune_element_type operands, sums;
  int64_t rows, length, columns;
  tune_exact_plan plan;
  tune_buffer a, b; // of the set that was made last
  tune_buffer right, value;
} product;

static void make(tune_buffer *buffer, tune_element_type element, int64_t rows, int64_t columns) {
  tune_value_type type = {.element = element, .rank = 2, .shape = {rows, columns}};
  assert_null(tune_buffer_init(buffer, &type));
}

static void product_init(product *p) {
  make(&p->a, p->operands, p->rows, p->length);
  make(&p->b, p->operands, p->length, p->columns);
  make(&p->right, p->sums, p->rows, p->columns);
  make(&p->value, p->sums, p->rows, p->columns);
  bool a_is_striped = p->rows >= p->columns;
  p->plan = tune_exact_plan_make(1 / tune_element_type_unit_roundoff(p->sums), p->length,
                                 a_is_striped ? &p->a.type : &p->b.type);
}

static void product_deinit(product *p) {
  tune_buffer_deinit(&p->a);
  tune_buffer_deinit(&p->b);
  tune_buffer_deinit(&p->right);
  tune_buffer_deinit(&p->value);
}

static double term_of(const product *p, int64_t i, int64_t k, int64_t other, int64_t j) {
  return at(&p->a, (size_t)(i * p->length + k)) * at(&p->b, (size_t)(other * p->columns + j));
}

// Each addition is rounded; in `lanes` sums, from the end where that is negative.
static void multiply(const product *p, int lanes, tune_buffer *out) {
  for (int64_t i = 0; i < p->rows; ++i)
    for (int64_t j = 0; j < p->columns; ++j) {
      double sums[8] = {0};
      for (int64_t k = 0; k < p->length; ++k) {
        int64_t term = lanes < 0 ? p->length - 1 - k : k;
        double *sum = &sums[k % abs(lanes)];
        *sum = rounded(p->sums, *sum + term_of(p, i, term, term, j));
      }
      for (int lane = 1; lane < abs(lanes); ++lane)
        sums[0] = rounded(p->sums, sums[0] + sums[lane]);
      set(out, (size_t)(i * p->columns + j), sums[0]);
    }
}

static void make_set(product *p, size_t number) {
  bool a_is_striped = p->rows >= p->columns;
  tune_exact_fill(&p->a, &p->plan, number, a_is_striped, 7, 1);
  tune_exact_fill(&p->b, &p->plan, number, !a_is_striped, 8, 1);
  multiply(p, 1, &p->right);
}

static bool is_right(const product *p) {
  tune_tolerance tolerance = {.reduction = p->length, .exact_limit = p->plan.limit};
  return tune_output_check_run(&p->value, &p->right, tolerance).is_equal;
}

typedef enum how { WITHOUT_ONE, ONE_TWICE, EXCHANGED, WITH_ANOTHER } how;

// What the way that is wrong about term `k` adds to an element.
static double error_of(const product *p, how way, int64_t i, int64_t k, int64_t j) {
  double term = term_of(p, i, k, k, j);
  int64_t next = (k + 1) % p->length;
  if (way == WITHOUT_ONE)
    return -term;
  if (way == ONE_TWICE)
    return term;
  if (way == WITH_ANOTHER) // reads a term again instead of the next
    return term - term_of(p, i, next, next, j);
  return term_of(p, i, k, next, j) + term_of(p, i, next, k, j) - term -
         term_of(p, i, next, next, j);
}

static bool is_found(product *p, how way, int64_t k) {
  for (int64_t i = 0; i < p->rows; ++i)
    for (int64_t j = 0; j < p->columns; ++j) {
      size_t index = (size_t)(i * p->columns + j);
      set(&p->value, index, rounded(p->sums, at(&p->right, index) + error_of(p, way, i, k, j)));
    }
  return !is_right(p);
}

// Whether each term is found in some set, in each of the first `ways` ways to be wrong; other
// orders of the sum are right in all sets.
static bool finds_all(product *p, int ways) {
  size_t count = (size_t)(p->length * ways), missed = 0;
  bool *found = calloc(count, sizeof *found);
  for (size_t number = 0; number < p->plan.set_count; ++number) {
    make_set(p, number);
    for (int lanes = -8; lanes <= 8; lanes += 4) {
      multiply(p, lanes ? lanes : 1, &p->value);
      assert_true(is_right(p));
    }
    for (size_t i = 0; i < count; ++i)
      found[i] = found[i] || is_found(p, (how)(i / (size_t)p->length), (int64_t)i % p->length);
  }
  for (size_t i = 0; i < count; ++i)
    missed += !found[i];
  if (missed)
    print_error("%zu of %zu errors are not found in %zu sets\n", missed, count, p->plan.set_count);
  free(found);
  return missed == 0;
}

// Each term of a sum that is left out or doubled, exchanged with its neighbour or replaced by it,
// is found, whatever the types; other orders of the sum are right, though each addition is rounded.
// Of few rows or columns a neighbour may be the same in all.
static void each_term_shows(void **state) {
  (void)state;
  const struct {
    product of;
    int ways;
  } cases[] = {
      {{TUNE_F16, TUNE_F16, .rows = 24, .length = 1024, .columns = 8}, 4},
      {{TUNE_BF16, TUNE_F32, .rows = 8, .length = 1024, .columns = 8}, 4},
      {{TUNE_BF16, TUNE_BF16, .rows = 24, .length = 1024, .columns = 8}, 4},
      {{TUNE_F32, TUNE_F32, .rows = 12, .length = 1024, .columns = 24}, 4},
      {{TUNE_F16, TUNE_F16, .rows = 1, .length = 1024, .columns = 24}, 2},
      {{TUNE_BF16, TUNE_BF16, .rows = 64, .length = 1999, .columns = 1}, 2},
      {{TUNE_F16, TUNE_F16, .rows = 1, .length = 1024, .columns = 1}, 2},
      {{TUNE_BF16, TUNE_BF16, .rows = 1, .length = 1024, .columns = 1}, 2},
      {{TUNE_F64, TUNE_F64, .rows = 12, .length = 333, .columns = 12}, 4},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    product p = cases[c].of;
    product_init(&p);
    if (!finds_all(&p, cases[c].ways))
      fail_msg("case %zu", c);
    product_deinit(&p);
  }
}

// What is out of the limit is not compared, and what is within it is not right by a little.
static void limits_are_kept(void **state) {
  (void)state;
  tune_buffer right, value;
  make(&right, TUNE_F16, 1, 4);
  make(&value, TUNE_F16, 1, 4);
  tune_tolerance tolerance = {.reduction = 4096, .exact_limit = 2048};
  const double expected[] = {100, 2048, INFINITY, -1}, found[] = {100, 3000, 5, NAN};
  for (size_t i = 0; i < 4; ++i) {
    set(&right, i, expected[i]);
    set(&value, i, found[i]);
  }
  assert_true(tune_output_check_run(&value, &right, tolerance).is_equal);
  assert_true(tune_exact_share(&right, 2048) == 0.25);
  set(&value, 0, 100.25);
  assert_true(tune_output_check_run(&value, &right, tolerance).is_equal);
  set(&value, 0, 101);
  assert_false(tune_output_check_run(&value, &right, tolerance).is_equal);
  tolerance.exact_limit = INFINITY;
  for (size_t i = 0; i < 4; ++i)
    set(&value, i, expected[i]);
  assert_true(tune_output_check_run(&value, &right, tolerance).is_equal);
  set(&value, 0, 100.0625); // the next one
  assert_false(tune_output_check_run(&value, &right, tolerance).is_equal);
  tune_buffer_deinit(&right);
  tune_buffer_deinit(&value);
}

//===- Maxima -----------------------------------------------------------------===//

#define COLUMNS 1024

// The maximum or minimum of a row, but for the columns from `begin` to `end`.
static double extreme_of(const tune_buffer *rows, int64_t row, bool is_maximum, int64_t begin,
                         int64_t end) {
  double extreme = is_maximum ? -INFINITY : INFINITY;
  for (int64_t k = 0; k < COLUMNS; ++k) {
    double value = at(rows, (size_t)(row * COLUMNS + k));
    if (k < begin || k >= end)
      extreme = is_maximum ? fmax(extreme, value) : fmin(extreme, value);
  }
  return extreme;
}

static bool shows(const tune_exact_plan *plan, tune_buffer *rows, bool is_maximum, int64_t begin,
                  int64_t end) {
  for (size_t number = 0; number < plan->set_count; ++number) {
    tune_exact_fill(rows, plan, number, true, 3, 1);
    for (int64_t row = 0; row < rows->type.shape[0]; ++row)
      if (extreme_of(rows, row, is_maximum, begin, end) != extreme_of(rows, row, is_maximum, 0, 0))
        return true;
  }
  return false;
}

// The first column or the last that is left out, and a tile of a sixteenth wherever it is, shows in
// maxima and minima of few rows and of many, in types with few values as well.
static void each_tile_shows_in_maxima(void **state) {
  (void)state;
  const tune_element_type elements[] = {TUNE_F16, TUNE_BF16, TUNE_F32};
  const int64_t counts[] = {1, 3, 40};
  for (size_t e = 0; e < 3; ++e)
    for (size_t c = 0; c < 3; ++c)
      for (int is_maximum = 0; is_maximum < 2; ++is_maximum) {
        tune_buffer rows;
        make(&rows, elements[e], counts[c], COLUMNS);
        tune_exact_plan plan = tune_exact_plan_make(INFINITY, COLUMNS, &rows.type);
        assert_true(shows(&plan, &rows, is_maximum, 0, 1));
        assert_true(shows(&plan, &rows, is_maximum, COLUMNS - 1, COLUMNS));
        for (int64_t tile = 0; tile < 16; ++tile)
          assert_true(
              shows(&plan, &rows, is_maximum, tile * COLUMNS / 16, (tile + 1) * COLUMNS / 16));
        tune_buffer_deinit(&rows);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_term_shows),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(each_tile_shows_in_maxima),
  };
  return cmocka_run_group_tests_name("targets/exact", tests, NULL, NULL);
}
