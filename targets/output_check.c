//===- output_check.c - Comparison of outputs with a reference ---------------===//

#include "targets/output_check.h"
#include "support/string_builder.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

// The bound on one element, as a function of the reference's value.
typedef struct bound {
  double relative; // to |r|
  double absolute;
} bound;

static double load(const tune_buffer *buffer, size_t index) {
  tune_element_type element = buffer->type.element;
  if (element == TUNE_F32)
    return ((const float *)buffer->data)[index];
  return tune_element_load(element,
                           (const char *)buffer->data + index * tune_element_type_size(element));
}

static double leeway_at(const tune_tolerance *tolerance, size_t index) {
  return tolerance->leeways ? (double)tolerance->leeways[index] : 0;
}

static double root_mean_square(const tune_buffer *buffer, size_t count,
                               const tune_tolerance *tolerance, size_t *out_nan_count) {
  double sum = 0;
  size_t finite = 0;
  *out_nan_count = 0;
  for (size_t i = 0; i < count; ++i) {
    double value = load(buffer, i);
    *out_nan_count += isnan(value);
    if (!isfinite(value) || isinf(leeway_at(tolerance, i)))
      continue;
    sum += value * value;
    ++finite;
  }
  return finite ? sqrt(sum / (double)finite) : 0;
}

// How far `value` is out: error over tolerance, above 1 is wrong. `*out_error` is finite.
static double excess(double value, double expected, const bound *b, double leeway,
                     double *out_error, double *out_tolerance) {
  *out_tolerance = isfinite(expected) ? b->relative * fabs(expected) + b->absolute + leeway : 0;
  bool is_same = value == expected || (isnan(value) && isnan(expected));
  *out_error = is_same ? 0 : fabs(value - expected);
  if (!isfinite(*out_error)) {
    *out_error = DBL_MAX;
    return DBL_MAX;
  }
  if (*out_error == 0)
    return 0;
  return *out_tolerance > 0 ? *out_error / *out_tolerance : DBL_MAX;
}

static bool is_same_shape(const tune_value_type *a, const tune_value_type *b) {
  return a->element == b->element && a->rank == b->rank &&
         memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

// 64-bit integers are not all doubles: what is equal as a double may yet differ.
static bool differs_in_bits(const tune_buffer *a, const tune_buffer *b, size_t index) {
  if (tune_element_type_size(a->type.element) != 8)
    return false;
  return ((const int64_t *)a->data)[index] != ((const int64_t *)b->data)[index];
}

// Two zeros, of which one is the other's negative.
static bool differs_in_sign(const tune_tolerance *tolerance, double value, double expected) {
  return tolerance->has_signed_zeros && value == 0 && expected == 0 &&
         !signbit(value) != !signbit(expected);
}

static const double MOST_NOISE = 0.125;
// Beside a whole number.
static const double EXACT_ERROR = 0.49;

// By what factors are rounded to, and how much of that an element, and all, may be off by, in
// sizes of the output.
static const struct {
  const char *name;
  double roundoff, element, all;
} FACTORS[] = {[TUNE_FACTORS_AS_GIVEN] = {"", 0, 0, 0},
               [TUNE_FACTORS_TF32] = {"tf32", 0x1p-11, 16, 2.5},
               [TUNE_FACTORS_F16] = {"f16", 0x1p-11, 16, 2.5},
               [TUNE_FACTORS_BF16] = {"bf16", 0x1p-8, 8, 1.25},
               [TUNE_FACTORS_INT8] = {"int8", 0x1p-7, 64, 8}};

const char *tune_factors_name(tune_factors factors) { return FACTORS[factors].name; }

tune_status tune_tolerance_take_factors(tune_tolerance *tolerance, const char *names) {
  tolerance->factors = TUNE_FACTORS_AS_GIVEN;
  tolerance->has_f16_factors = false;
  for (const char *name = names; name;) {
    size_t i = 1, count = sizeof FACTORS / sizeof *FACTORS, length = strcspn(name, ",");
    while (i < count &&
           (strlen(FACTORS[i].name) != length || strncmp(name, FACTORS[i].name, length) != 0))
      ++i;
    if (i == count)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "\"operands\" is \"%s\"; \"tf32\", \"f16\", \"bf16\" and "
                              "\"int8\" are known",
                              names);
    if ((tune_factors)i > tolerance->factors)
      tolerance->factors = (tune_factors)i;
    tolerance->has_f16_factors |= i == TUNE_FACTORS_F16;
    name = name[length] ? name + length + 1 : NULL;
  }
  return TUNE_OK;
}

static double accumulator_roundoff(const tune_tolerance *tolerance, tune_element_type out) {
  tune_element_type type =
      tolerance->has_accumulator && tune_element_type_is_float(tolerance->accumulator)
          ? tolerance->accumulator
          : out;
  return tune_element_type_is_float(type) ? tune_element_type_unit_roundoff(type) : 0;
}

double tune_tolerance_roundoff(const tune_tolerance *tolerance, tune_element_type out) {
  return fmax(accumulator_roundoff(tolerance, out), FACTORS[tolerance->factors].roundoff);
}

// Between ops some values are rounded one after the other, but no sum of them grows by that.
static const double ROUNDINGS_BETWEEN = 2;

// What the roundings of a sum come to, as a share of its size.
static double sum_noise(const tune_tolerance *tolerance, double u_acc) {
  double terms = tolerance->reduction > 1 ? (double)tolerance->reduction : 1, least = u_acc;
  if (tolerance->has_sums && tune_element_type_is_float(tolerance->sums)) {
    double u_sum = tune_element_type_unit_roundoff(tolerance->sums);
    least *= u_sum < u_acc ? ROUNDINGS_BETWEEN : 1;
    u_acc = fmin(u_acc, u_sum);
  }
  return fmin(fmax(u_acc * sqrt(terms), least), MOST_NOISE);
}

static bool is_compared(const tune_tolerance *tolerance, size_t index, double expected) {
  if (isinf(leeway_at(tolerance, index)))
    return false;
  bool is_any = !(tolerance->exact_limit > 0) || isinf(tolerance->exact_limit);
  return is_any || (expected >= 0 && expected < tolerance->exact_limit);
}

// The bound on each element, and into `*out_rms` that on the root mean square of all, of an output
// of floats that are of about `size`.
static bound bounds_of(const tune_tolerance *tolerance, tune_element_type out, double size,
                       double *out_rms) {
  if (tolerance->exact_limit > 0) {
    *out_rms = isinf(tolerance->exact_limit) ? 0 : EXACT_ERROR;
    return (bound){0, *out_rms};
  }
  double u_acc = accumulator_roundoff(tolerance, out);
  double u_factor = FACTORS[tolerance->factors].roundoff;
  double function = 4 * tune_element_type_unit_roundoff(out) + 32 * u_acc;
  double noise = sum_noise(tolerance, u_acc), least = tune_element_type_smallest_normal(out);
  *out_rms = (function + 2 * noise + FACTORS[tolerance->factors].all * u_factor) * size + least;
  return (bound){function + 4 * u_factor,
                 (8 * noise + FACTORS[tolerance->factors].element * u_factor) * size + least};
}

tune_output_check tune_output_check_run(const tune_buffer *value, const tune_buffer *reference,
                                        tune_tolerance tolerance) {
  tune_output_check c = {0};
  if (!is_same_shape(&value->type, &reference->type))
    return c;
  tune_element_type out = reference->type.element;
  bool is_float = tune_element_type_is_float(out);
  c.element_count = tune_value_type_element_count(&reference->type);

  bound b = {0, 0};
  double rms = 0;
  if (is_float) {
    rms = root_mean_square(reference, c.element_count, &tolerance, &c.nan_count);
    double u_moved = tune_tolerance_roundoff(&tolerance, out);
    double size = fmax(rms, u_moved > 0 ? tolerance.spread / u_moved : 0);
    c.magnitude = size;
    b = bounds_of(&tolerance, out, size, &c.rms_tolerance);
  }

  double worst = -1, sum = 0, leeway_sum = 0;
  size_t finite = 0;
  for (size_t i = 0; i < c.element_count; ++i) {
    double leeway = leeway_at(&tolerance, i);
    double error, allowed, x = load(value, i), r = load(reference, i);
    if (is_float ? !is_compared(&tolerance, i, r) : isinf(leeway))
      continue;
    double out_by = excess(x, r, &b, leeway, &error, &allowed);
    if (is_float && !(leeway > 0) && differs_in_sign(&tolerance, x, r))
      out_by = DBL_MAX;
    if (!is_float && out_by == 0 && differs_in_bits(value, reference, i))
      out_by = error = 1;
    c.wrong_count += out_by > 1 || (!is_float && out_by > 0);
    if (is_float && isfinite(x) && isfinite(r)) {
      sum += error * error;
      leeway_sum += leeway * leeway;
      ++finite;
    }
    if (out_by > worst) {
      worst = out_by;
      c.worst = i;
      c.value = x;
      c.expected = r;
      c.max_error = error;
      c.tolerance = allowed;
      c.leeway = leeway;
    }
  }
  c.rms_error = finite ? sqrt(sum / (double)finite) : 0;
  c.rms_tolerance += finite ? sqrt(leeway_sum / (double)finite) : 0;
  c.is_equal = c.wrong_count == 0 && c.rms_error <= c.rms_tolerance;
  return c;
}

static void append_position(tune_string_builder *text, const tune_value_type *type, size_t index) {
  int64_t position[TUNE_RANK_LIMIT];
  for (size_t i = type->rank; i-- > 0; index /= (size_t)type->shape[i])
    position[i] = (int64_t)(index % (size_t)type->shape[i]);
  tune_string_builder_append(text, "[");
  for (size_t i = 0; i < type->rank; ++i)
    tune_string_builder_appendf(text, i ? ", %" PRId64 : "%" PRId64, position[i]);
  tune_string_builder_append(text, "]");
}

// "-nan" would be noise.
static double without_sign_of_nan(double value) { return isnan(value) ? (double)NAN : value; }

tune_status tune_output_check_to_text(const tune_output_check *check, const tune_buffer *value,
                                      const tune_buffer *reference, char **out_text) {
  const tune_output_check *c = check;
  tune_string_builder text;
  tune_string_builder_init(&text);
  if (!is_same_shape(&value->type, &reference->type)) {
    char found[TUNE_VALUE_TYPE_TEXT], expected[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(&value->type, found);
    tune_value_type_to_text(&reference->type, expected);
    tune_string_builder_appendf(&text, "it is %s where the reference has %s", found, expected);
  } else if (c->wrong_count) {
    tune_string_builder_append(&text, "element ");
    append_position(&text, &value->type, c->worst);
    tune_string_builder_appendf(&text, " is %.9g where the reference has %.9g",
                                without_sign_of_nan(c->value), without_sign_of_nan(c->expected));
    if (c->max_error > 0 && c->max_error < DBL_MAX)
      tune_string_builder_appendf(&text, " (they differ by %.3g, allowed is %.3g)", c->max_error,
                                  c->tolerance);
    tune_string_builder_appendf(&text, "; %zu of %zu elements are wrong", c->wrong_count,
                                c->element_count);
  } else {
    tune_string_builder_appendf(&text,
                                "no element is far off, but all together are: their difference to "
                                "the reference has a root mean square of %.3g, allowed is %.3g",
                                c->rms_error, c->rms_tolerance);
  }
  return tune_string_builder_finish(&text, out_text);
}
