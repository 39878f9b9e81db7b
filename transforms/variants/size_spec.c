//===- size_spec.c ------------------------------------------------------------===//

#include "transforms/variants/size_spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAMMAR                                                                                    \
  "; sizes are SIZE or FIRST-LAST with commas between, each with :SHARE of the calls if you "      \
  "like, "                                                                                         \
  "as in 1:0.5,64,128-512"

// No share was given.
#define NO_WEIGHT (-1.0)

// A text that is read from its beginning.
typedef struct reader {
  const char *text, *at;
} reader;

static tune_status fail(const reader *r, const char *what) {
  return tune_status_make(TUNE_INVALID_ARGUMENT, "'%s': expected %s at '%s'" GRAMMAR, r->text, what,
                          r->at);
}

static tune_status read_size(reader *r, int64_t *out_size) {
  char *end = NULL;
  long long size = isdigit((unsigned char)*r->at) ? strtoll(r->at, &end, 10) : 0;
  if (size < 1 || size > INT32_MAX)
    return fail(r, "a size from 1 to 2147483647");
  *out_size = size;
  r->at = end;
  return TUNE_OK;
}

// Digits, and a point with more of them if you like. strtod would read hexadecimal numbers, too,
// and another point than this by the locale.
static double read_decimal(reader *r) {
  double value = 0, scale = 1;
  for (; isdigit((unsigned char)*r->at); ++r->at)
    value = value * 10 + (*r->at - '0');
  if (*r->at != '.')
    return value;
  for (++r->at; isdigit((unsigned char)*r->at); ++r->at)
    // More digits than a double has change nothing.
    if (scale < 1e17) {
      value = value * 10 + (*r->at - '0');
      scale *= 10;
    }
  return value / scale;
}

static tune_status read_weight(reader *r, double *out_weight) {
  *out_weight = NO_WEIGHT;
  if (*r->at != ':')
    return TUNE_OK;
  const char *begin = ++r->at;
  *out_weight = read_decimal(r);
  if (*out_weight > 0 && isfinite(*out_weight))
    return TUNE_OK;
  r->at = begin;
  return fail(r, "a share above 0");
}

static tune_status read_item(reader *r, tune_size_item *out_item) {
  TUNE_RETURN_IF_ERROR(read_size(r, &out_item->first));
  out_item->last = out_item->first;
  if (*r->at == '-') {
    ++r->at;
    TUNE_RETURN_IF_ERROR(read_size(r, &out_item->last));
    if (out_item->last <= out_item->first)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "'%s': the range %lld-%lld does not go up" GRAMMAR, r->text,
                              (long long)out_item->first, (long long)out_item->last);
  }
  return read_weight(r, &out_item->weight);
}

static tune_status read_items(reader *r, tune_size_spec *spec) {
  for (;;) {
    if (spec->count == TUNE_MOST_SIZES)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "'%s': more than %d sizes; a range such as "
                              "128-512 stands for many",
                              r->text, TUNE_MOST_SIZES);
    TUNE_RETURN_IF_ERROR(read_item(r, &spec->items[spec->count++]));
    if (!*r->at)
      return TUNE_OK;
    if (*r->at != ',')
      return fail(r, "a comma or the end");
    ++r->at;
  }
}

// A single size before a range that begins with it.
static int compare_items(const void *a, const void *b) {
  const tune_size_item *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->last < right->last ? -1 : left->last > right->last;
}

static bool is_range(const tune_size_item *item) { return item->first < item->last; }

// One size, or two ranges, must not come twice.
static tune_status check_overlaps(const char *text, const tune_size_spec *spec) {
  for (size_t i = 0; i < spec->count; ++i)
    for (size_t k = i + 1; k < spec->count; ++k) {
      const tune_size_item *a = &spec->items[i], *b = &spec->items[k];
      if (is_range(a) == is_range(b) && b->first <= a->last)
        return tune_status_make(TUNE_INVALID_ARGUMENT, "'%s': the size %lld is given twice" GRAMMAR,
                                text, (long long)b->first);
    }
  return TUNE_OK;
}

static tune_status share_out(const char *text, tune_size_spec *spec) {
  double given = 0;
  size_t missing = 0;
  for (size_t i = 0; i < spec->count; ++i)
    if (spec->items[i].weight > 0)
      given += spec->items[i].weight;
    else
      ++missing;
  if (missing && given >= 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "'%s': the shares that are given are %g together, which leaves nothing "
                            "of 1 for the %zu without; give all of them, or less" GRAMMAR,
                            text, given, missing);
  for (size_t i = 0; i < spec->count; ++i) {
    tune_size_item *item = &spec->items[i];
    item->weight = item->weight > 0 ? (missing ? item->weight : item->weight / given)
                                    : (1 - given) / (double)missing;
  }
  return TUNE_OK;
}

tune_status tune_size_spec_parse(const char *text, tune_size_spec *out_spec) {
  *out_spec = (tune_size_spec){.count = 0};
  reader r = {.text = text, .at = text};
  TUNE_RETURN_IF_ERROR(read_items(&r, out_spec));
  qsort(out_spec->items, out_spec->count, sizeof *out_spec->items, compare_items);
  TUNE_RETURN_IF_ERROR(check_overlaps(text, out_spec));
  return share_out(text, out_spec);
}

bool tune_size_spec_is_number(const char *text) {
  tune_size_spec spec;
  tune_status status = tune_size_spec_parse(text, &spec);
  bool is_number = tune_status_is_ok(status) && strspn(text, "0123456789") == strlen(text);
  tune_status_free(status);
  return is_number;
}
