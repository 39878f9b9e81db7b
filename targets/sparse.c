//===- sparse.c - Inputs of which few terms make an output ----------------------------===//

#include "targets/sparse.h"
#include "targets/random_at.h"

#include <math.h>
#include <string.h>

// Of the products of two factors so many are not zero in a sum, in the mean.
#define TERMS 4.0
#define LEAST_SHARE (1.0 / 64)
#define LARGEST_SHARE 0.5
// Larger ones would hide the others behind what is allowed beside them.
#define LARGE 16
// exp of them is infinite, a sum of a few products of two is not.
#define LARGEST 112.0
#define LARGEST_F16 24.0
#define LARGEST_F64 1000.0
#define LEEWAY 4.0
// Where sums are fine enough that a term stands out all the same: Winograd's transforms, which take
// sums of inputs apart, are off by more than what the inputs move.
#define FINE_LEEWAY 32.0
#define FINE 0x1p-14
#define LEANING_LEEWAY 2.0
#define LARGEST_DISTURBANCE 0x1p-6
#define LARGEST_RELATIVE 0x1p-5

//===- Values ---------------------------------------------------------------------------===//

static double share_of(int64_t reduction) {
  double share = sqrt(TERMS / (double)(reduction > 1 ? reduction : 1));
  return fmin(fmax(share, LEAST_SHARE), LARGEST_SHARE);
}

// Whether the value that `*bits` stand for is none but zero; takes those it has looked at away.
static bool is_zero(uint64_t *bits, double share) {
  bool is = (double)(*bits & 0xffff) >= share * 0x1p16;
  *bits >>= 16;
  return is;
}

// In [0, 1].
static double unit_of(uint64_t bits) { return (double)(bits & 0xffffff) * 0x1p-24; }

static double largest_of(tune_element_type element) {
  return element == TUNE_F16 ? LARGEST_F16 : element == TUNE_F64 ? LARGEST_F64 : LARGEST;
}

// Of a sum at most every other one has such a term.
static bool is_special(uint64_t bits, int64_t reduction) {
  double share = fmin(1.0 / 16, 0.5 / (double)(reduction > 1 ? reduction : 1));
  return (double)(bits & 0xffffff) < share * 0x1p24;
}

// In steps of halves and quarters, where what rounds differs, and beyond the ends of an i8.
static double stepped_of(uint64_t bits, const tune_sparse_fill *fill) {
  unsigned kind = bits & 7;
  double place = 2 * unit_of(bits >> 8) - 1, value;
  if (fill->has_specials && is_special(bits >> 32, fill->reduction))
    value = kind < 3 ? (double)NAN : kind < 6 ? (double)INFINITY : -(double)INFINITY;
  else
    value = kind < 4 ? rint(place * 32) / 4 : kind < 6 ? rint(place * 512) / 2 : place * 4;
  return fill->is_positive ? fabs(value) : value;
}

// From 2^-30, or what the type has, to its largest.
static double wide_of(uint64_t bits, tune_element_type element) {
  bool is_half = element == TUNE_F16, is_double = element == TUNE_F64;
  double octaves = is_half ? 29 : is_double ? 1053 : 157, least = is_half ? 0x1p-14 : 0x1p-30;
  return least * exp2(unit_of(bits) * octaves);
}

static double float_of(uint64_t bits, tune_element_type element, const tune_sparse_fill *fill) {
  if (fill->is_stepped)
    return stepped_of(bits, fill);
  bool is_negative = bits & 1 && !fill->is_positive;
  bits >>= 1;
  double value = 0;
  if (!is_zero(&bits, share_of(fill->reduction))) {
    unsigned kind = bits & 15;
    bits >>= 4;
    double small = 1 + (double)(bits & 3);
    if (fill->is_large && fill->is_wide && kind < 8)
      value = wide_of(bits, element);
    else if (fill->is_large)
      value = largest_of(element) * (1 - unit_of(bits) / 4);
    else if (kind < 12)
      value = fill->has_edges ? small : small / 4;
    else if (kind < 14)
      value = unit_of(bits);
    else if (!fill->has_edges)
      value = 1;
    else if (kind == 14)
      value = LARGE;
    else
      value = tune_element_type_smallest_normal(element) * unit_of(bits);
  }
  return is_negative ? -value : value;
}

static void fill_floats(tune_buffer *buffer, const tune_sparse_fill *fill) {
  tune_element_type element = buffer->type.element;
  size_t size = tune_element_type_size(element);
  for (size_t i = 0; i < buffer->size / size; ++i)
    tune_element_store(element, float_of(tune_random_at(fill->seed, i), element, fill),
                       (char *)buffer->data + i * size);
}

// One half zeros, the other from all of the type's range or all of an i8's, a quarter of them at
// its ends: what saturates where it should wrap shows. Of wide ones some are of any size.
static int64_t integer_of(uint64_t bits, unsigned width, uint64_t wide) {
  int64_t highest = (int64_t)(UINT64_MAX >> (65 - width));
  unsigned kind = bits & 15, less = kind & 1 && width > 8 ? (unsigned)(bits >> 8) % width : 0;
  if (kind < 8)
    return 0;
  if (kind < 10)
    return kind == 8 ? highest : -highest - 1;
  return (int64_t)(wide << (64 - width)) >> (64 - width) >> less;
}

static void fill_integers(tune_buffer *buffer, const tune_sparse_fill *fill) {
  size_t size = tune_element_type_size(buffer->type.element);
  unsigned width = fill->has_wide_integers ? 8 * (unsigned)size : 8;
  for (size_t i = 0; i < buffer->size / size; ++i) {
    uint64_t bits = tune_random_at(fill->seed, i);
    int64_t value = integer_of(bits, width, tune_random_at(~fill->seed, i));
    if (fill->is_positive && value < 0)
      value = ~value;
    memcpy((char *)buffer->data + i * size, &value, size); // the low bytes come first
  }
}

int64_t tune_sparse_terms(int64_t reduction) {
  double terms = ceil((double)(reduction > 1 ? reduction : 1) * share_of(reduction));
  return terms > 16 ? (int64_t)terms : reduction < 16 ? reduction : 16;
}

// Whether other values than those of its range are no use, or not allowed.
static bool keeps_range(const tune_value_type *type, const tune_sparse_fill *fill) {
  if (!type->has_range)
    return false;
  if (!tune_element_type_is_float(type->element))
    return type->range[0] >= 0 || type->is_flag || type->is_divisor;
  return type->is_whole || (!fill->has_edges && (type->range[0] > 0 || type->range[1] > 1));
}

void tune_buffer_fill_sparsely(tune_buffer *buffer, const tune_sparse_fill *fill) {
  tune_element_type element = buffer->type.element;
  bool is_float = tune_element_type_is_float(element);
  if (buffer->type.is_scalar || element == TUNE_I1 || element == TUNE_INDEX ||
      keeps_range(&buffer->type, fill) || (!is_float && !fill->has_edges))
    tune_buffer_fill(buffer, fill->seed, fill->is_positive ? TUNE_FILL_POSITIVE : TUNE_FILL_SIGNED,
                     fill->index_limit);
  else if (is_float)
    fill_floats(buffer, fill);
  else
    fill_integers(buffer, fill);
}

//===- Leeways --------------------------------------------------------------------------===//

double tune_disturbance_size(double roundoff, int64_t reduction) {
  return fmin(roundoff * fmax((double)reduction / 4, 4), LARGEST_DISTURBANCE);
}

void tune_buffer_disturb(tune_buffer *buffer, uint64_t seed, const tune_disturbance *by) {
  tune_element_type element = buffer->type.element;
  if (!tune_element_type_is_float(element))
    return;
  double relative = fmax(by->size, 2 * tune_element_type_unit_roundoff(element));
  double smallest_normal = tune_element_type_smallest_normal(element);
  size_t size = tune_element_type_size(element);
  for (size_t i = 0; i < buffer->size / size; ++i) {
    char *at = (char *)buffer->data + i * size;
    bool is_up = (tune_random_at(seed, i) >> 63) != by->is_mirrored;
    double value = tune_element_load(element, at);
    if (fabs(value) < smallest_normal && by->keeps_zeros)
      value *= is_up ? 2 : 0; // a zero keeps its sign, which a quotient by it has
    else if (fabs(value) < smallest_normal)
      value = is_up || by->is_positive ? by->size : -by->size;
    else
      value *= is_up ? 1 + relative : 1 - relative;
    tune_element_store(element, value, at);
  }
}

// Two outputs, element by element.
typedef struct movement {
  const tune_buffer *from, *to;
  size_t size, count; // of elements
} movement;

static double value_at(const movement *m, const tune_buffer *buffer, size_t index) {
  return tune_element_load(m->from->type.element, (const char *)buffer->data + index * m->size);
}

// By how much the finite ones have moved in the mean.
static double mean_of(const movement *m) {
  double sum = 0;
  size_t finite = 0;
  for (size_t i = 0; i < m->count; ++i) {
    double moved = fabs(value_at(m, m->to, i) - value_at(m, m->from, i));
    if (!isfinite(moved))
      continue;
    sum += moved;
    ++finite;
  }
  return finite ? sum / (double)finite : 0;
}

void tune_sparse_raise_leeways(const tune_buffer *reference, const tune_buffer *moved,
                               const tune_disturbance *by, float *leeways) {
  tune_element_type element = reference->type.element;
  bool is_float = tune_element_type_is_float(element);
  movement m = {reference, moved, tune_element_type_size(element), 0};
  m.count = reference->size / m.size;
  double mean = is_float ? mean_of(&m) : 0;
  double times = by->size <= FINE ? FINE_LEEWAY : LEEWAY;
  double relative = fmin(times * by->size, LARGEST_RELATIVE);
  for (size_t i = 0; i < m.count; ++i) {
    double from = value_at(&m, reference, i), to = value_at(&m, moved, i);
    double leeway = 0;
    if (is_float && isfinite(from) && isfinite(to))
      leeway = times * fmax(fabs(to - from), mean) + relative * fabs(from);
    else if (from != to && !(isnan(from) && isnan(to)))
      leeway = INFINITY;
    leeways[i] = fmaxf(leeways[i], (float)leeway);
  }
}

void tune_leeways_raise(const tune_buffer *reference, const tune_buffer *leant, float *leeways) {
  tune_element_type element = reference->type.element;
  bool is_float = tune_element_type_is_float(element);
  movement m = {reference, leant, tune_element_type_size(element), 0};
  m.count = reference->size / m.size;
  for (size_t i = 0; i < m.count; ++i) {
    double from = value_at(&m, reference, i), to = value_at(&m, leant, i), leeway = 0;
    if (is_float && isfinite(from) && isfinite(to))
      leeway = LEANING_LEEWAY * fabs(to - from);
    else if (from != to && !(isnan(from) && isnan(to)))
      leeway = INFINITY;
    leeways[i] = fmaxf(leeways[i], (float)leeway);
  }
}
