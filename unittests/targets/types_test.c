//===- types_test.c - Element types, signatures, buffers ---------------------------------===//

#include "targets/buffer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_fails(tune_status status, tune_status_code code, const char *message) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), message))
    print_error("got: %s\n", tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), message));
  tune_status_free(status);
}

//===- Element types -----------------------------------------------------------------------===//

static void names_are_parsed_and_others_refused(void **state) {
  (void)state;
  for (int i = 0; i < TUNE_ELEMENT_TYPE_COUNT; ++i) {
    tune_element_type type;
    assert_null(tune_element_type_parse(tune_element_type_name((tune_element_type)i), &type));
    assert_int_equal(type, i);
  }
  tune_element_type type;
  assert_fails(tune_element_type_parse("f8", &type), TUNE_INVALID_ARGUMENT, "f16, bf16, f32");
}

static void constants_are_those_of_the_formats(void **state) {
  (void)state;
  assert_true(tune_element_type_unit_roundoff(TUNE_F16) == 0x1p-11);
  assert_true(tune_element_type_unit_roundoff(TUNE_BF16) == 0x1p-8);
  assert_true(tune_element_type_unit_roundoff(TUNE_F32) == 0x1p-24);
  assert_true(tune_element_type_unit_roundoff(TUNE_F64) == 0x1p-53);
  assert_true(tune_element_type_unit_roundoff(TUNE_I32) == 0);
  assert_true(tune_element_type_smallest_normal(TUNE_F16) == 0x1p-14);
  assert_true(tune_element_type_smallest_normal(TUNE_BF16) == 0x1p-126);
  assert_true(tune_element_type_smallest_normal(TUNE_F32) == 0x1p-126);
  assert_true(tune_element_type_smallest_normal(TUNE_F64) == 0x1p-1022);
}

// All 65536 values of both formats survive loading and storing, NaN as some NaN.
static void small_floats_survive_a_round_trip(void **state) {
  (void)state;
  for (unsigned bits = 0; bits < 65536; ++bits)
    for (tune_element_type type = TUNE_F16; type <= TUNE_BF16; ++type) {
      uint16_t in = (uint16_t)bits, out;
      double value = tune_element_load(type, &in);
      tune_element_store(type, value, &out);
      if (isnan(value))
        assert_true(isnan(tune_element_load(type, &out)));
      else
        assert_int_equal(in, out);
    }
}

static void small_floats_round_to_nearest_even(void **state) {
  (void)state;
  const struct {
    tune_element_type type;
    double value;
    uint16_t bits;
  } cases[] = {
      {TUNE_F16, 1 + 0x1p-11, 0x3c00}, {TUNE_F16, 1 + 3 * 0x1p-11, 0x3c02},
      {TUNE_F16, 65519, 0x7bff},       {TUNE_F16, 65520, 0x7c00},
      {TUNE_F16, 0x1p-25, 0x0000},     {TUNE_F16, 0x1.8p-25, 0x0001},
      {TUNE_F16, -0.0, 0x8000},        {TUNE_BF16, 1 + 0x1p-8, 0x3f80},
      {TUNE_BF16, 1.01, 0x3f81},       {TUNE_BF16, -1e300, 0xff80},
      {TUNE_BF16, 0x1p-134, 0x0000},   {TUNE_BF16, INFINITY, 0x7f80},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    uint16_t bits;
    tune_element_store(cases[i].type, cases[i].value, &bits);
    assert_int_equal(bits, cases[i].bits);
  }
}

// Against the formats' definition, for every value.
static void small_floats_are_what_the_formats_say(void **state) {
  (void)state;
  const struct {
    tune_element_type type;
    int exponent_bits, mantissa_bits;
  } formats[] = {{TUNE_F16, 5, 10}, {TUNE_BF16, 8, 7}};
  for (size_t f = 0; f < 2; ++f)
    for (unsigned i = 0; i < 65536; ++i) {
      int mantissa_bits = formats[f].mantissa_bits,
          bias = (1 << (formats[f].exponent_bits - 1)) - 1;
      int exponent = (int)(i & 0x7fff) >> mantissa_bits,
          mantissa = (int)i & ((1 << mantissa_bits) - 1);
      double expected =
          exponent ? ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)
                   : ldexp(mantissa, 1 - bias - mantissa_bits);
      if (exponent == 2 * bias + 1)
        expected = mantissa ? NAN : INFINITY;
      uint16_t bits = (uint16_t)i;
      double value = tune_element_load(formats[f].type, &bits);
      if (isnan(expected)) {
        assert_true(isnan(value));
        continue;
      }
      assert_true(fabs(value) == expected);
      assert_int_equal(signbit(value) != 0, i >> 15);
    }
}

static void integers_are_loaded_with_their_sign(void **state) {
  (void)state;
  for (tune_element_type type = TUNE_I8; type <= TUNE_INDEX; ++type) {
    char bytes[8];
    tune_element_store(type, -5, bytes);
    assert_true(tune_element_load(type, bytes) == -5);
  }
  assert_true(tune_element_load(TUNE_I1, "\x02") == 1);
}

//===- Signatures ---------------------------------------------------------------------------===//

static tune_status parse(const char *text, tune_signature *out) {
  json_error_t error;
  json_t *object = json_loads(text, 0, &error);
  assert_non_null(object);
  tune_status status = tune_signature_from_json(object, out);
  json_decref(object);
  return status;
}

static void signatures_are_read(void **state) {
  (void)state;
  tune_signature s;
  assert_null(
      parse("{\"entry\": \"e\", \"arguments\": ["
            " {\"kind\": \"tensor\", \"type\": \"bf16\", \"shape\": [-1, 3], \"access\": \"read\"},"
            " {\"kind\": \"scalar\", \"type\": \"index\"},"
            " {\"kind\": \"tensor\", \"type\": \"i1\", \"shape\": [], \"access\": \"readwrite\"}],"
            " \"results\": [{\"kind\": \"tensor\", \"type\": \"f64\", \"shape\": [0, 7]}]}",
            &s));
  assert_string_equal(s.entry, "e");
  assert_int_equal(s.argument_count, 3);
  assert_true(s.arguments[1].is_scalar && !s.arguments[0].is_scalar);
  assert_false(tune_value_type_is_static(&s.arguments[0]));
  char text[TUNE_VALUE_TYPE_TEXT];
  tune_value_type_to_text(&s.arguments[0], text);
  assert_string_equal(text, "?x3xbf16");
  assert_int_equal(tune_value_type_element_count(&s.results[0]), 0);
  assert_true(tune_value_type_allows(&s.arguments[0], 2, (int64_t[]){9, 3}));
  assert_false(tune_value_type_allows(&s.arguments[0], 2, (int64_t[]){9, 4}));
  assert_false(tune_value_type_allows(&s.arguments[0], 1, (int64_t[]){9}));
  assert_false(tune_value_type_allows(&s.arguments[0], 2, (int64_t[]){-1, 3}));

  // Outputs: first what is written, then results.
  assert_int_equal(tune_signature_output_count(&s), 2);
  size_t result = 9;
  assert_int_equal(tune_signature_output_argument(&s, 0, &result), 2);
  assert_true(tune_signature_output_argument(&s, 1, &result) == SIZE_MAX);
  assert_int_equal(result, 0);
  char name[32];
  tune_signature_output_name(&s, 0, name);
  assert_string_equal(name, "argument 2");
  tune_signature_output_name(&s, 1, name);
  assert_string_equal(name, "result 0");
  assert_int_equal(tune_signature_output(&s, 1)->element, TUNE_F64);
  tune_signature_deinit(&s);
}

static void damaged_signatures_are_refused(void **state) {
  (void)state;
  const struct {
    const char *text, *message;
  } cases[] = {
      {"{}", "\"entry\""},
      {"{\"entry\": 3, \"arguments\": [], \"results\": []}", "\"entry\""},
      {"{\"entry\": \"e\", \"results\": []}", "\"arguments\""},
      {"{\"entry\": \"e\", \"arguments\": []}", "\"results\""},
      {"{\"entry\": \"e\", \"arguments\": [3], \"results\": []}", "argument 0"},
      {"{\"entry\": \"e\", \"arguments\": [{\"kind\": \"vector\", \"type\": \"f32\"}],"
       " \"results\": []}",
       "tensor or scalar, not 'vector'"},
      {"{\"entry\": \"e\", \"arguments\": [{\"kind\": \"scalar\", \"type\": \"f8\"}],"
       " \"results\": []}",
       "no element type 'f8'"},
      {"{\"entry\": \"e\", \"arguments\": [{\"kind\": \"tensor\", \"type\": \"f32\","
       " \"shape\": [2]}], \"results\": []}",
       "\"access\""},
      {"{\"entry\": \"e\", \"arguments\": [{\"kind\": \"tensor\", \"type\": \"f32\","
       " \"access\": \"read\"}], \"results\": []}",
       "needs a \"shape\""},
      {"{\"entry\": \"e\", \"arguments\": [], \"results\": [{\"kind\": \"tensor\","
       " \"type\": \"f32\", \"shape\": [-2]}]}",
       "result 0"},
      {"{\"entry\": \"e\", \"arguments\": [], \"results\": [{\"kind\": \"tensor\","
       " \"type\": \"f32\", \"shape\": [4294967296, 4294967296]}]}",
       "larger than memory"},
      {"{\"entry\": \"e\", \"arguments\": [], \"results\": [{\"kind\": \"tensor\","
       " \"type\": \"f32\", \"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}]}",
       "rank 17"},
      {"{\"entry\": \"e\", \"arguments\": [], \"results\": [{\"kind\": \"scalar\","
       " \"type\": \"f32\"}]}",
       "results are tensors"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_signature s;
    assert_fails(parse(cases[i].text, &s), TUNE_INVALID_ARGUMENT, cases[i].message);
  }
}

//===- Buffers --------------------------------------------------------------------------------===//

static tune_buffer make(tune_element_type element, int64_t count) {
  tune_value_type type = {.element = element, .rank = 1, .shape = {count}};
  tune_buffer buffer;
  assert_null(tune_buffer_init(&buffer, &type));
  return buffer;
}

// Aligned, zeroed, writable to the last byte, of any size; guards whole.
static void buffers_are_aligned_and_zeroed(void **state) {
  (void)state;
  int64_t sizes[] = {0, 1, 63, 4096, 4033, 4097, 5 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    tune_buffer b = make(TUNE_I8, sizes[i]);
    assert_int_equal((uintptr_t)b.data % (sizes[i] >= 2 << 20 ? 2 << 20 : 4096), 0);
    assert_int_equal(b.size, sizes[i]);
    for (int64_t j = 0; j < sizes[i]; ++j)
      assert_int_equal(((char *)b.data)[j], 0);
    memset(b.data, 0x5a, b.size);
    assert_null(tune_buffer_check_guards(&b));
    tune_buffer_deinit(&b);
  }
}

// A single byte on either side is noticed, next to the data as well as some way off.
static void guards_notice_single_bytes(void **state) {
  (void)state;
  tune_buffer b = make(TUNE_F32, 1000);
  char *data = b.data;
  ptrdiff_t offsets[] = {-1, -4096, 4000, 4063, 4095};
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
    char before = data[offsets[i]];
    data[offsets[i]] = 0;
    assert_fails(tune_buffer_check_guards(&b), TUNE_DATA_LOSS,
                 offsets[i] < 0 ? "1 bytes before the beginning" : "1 bytes after the end");
    data[offsets[i]] = before;
    assert_null(tune_buffer_check_guards(&b));
  }
  float beyond;
  memcpy(&beyond, data + b.size, sizeof beyond);
  assert_true(isnan(beyond)); // what is read outside shows in results
  tune_buffer_deinit(&b);
}

static void addresses_are_located(void **state) {
  (void)state;
  tune_buffer b = make(TUNE_F32, 1000);
  char *data = b.data;
  assert_int_equal(tune_buffer_locate(&b, data), TUNE_BUFFER_WITHIN);
  assert_int_equal(tune_buffer_locate(&b, data + 3999), TUNE_BUFFER_WITHIN);
  assert_int_equal(tune_buffer_locate(&b, data + 4000), TUNE_BUFFER_AFTER);
  assert_int_equal(tune_buffer_locate(&b, data + 9000), TUNE_BUFFER_AFTER);
  assert_int_equal(tune_buffer_locate(&b, data - 1), TUNE_BUFFER_BEFORE);
  assert_int_equal(tune_buffer_locate(&b, data - 5000), TUNE_BUFFER_BEFORE);
  assert_int_equal(tune_buffer_locate(&b, NULL), TUNE_BUFFER_ELSEWHERE);
  assert_int_equal(tune_buffer_locate(&b, &b), TUNE_BUFFER_ELSEWHERE);
  tune_buffer_deinit(&b);
}

// The same seed gives the same values, another seed others; each type keeps to its range and uses
// it.
static void seeded_values_keep_to_their_ranges(void **state) {
  (void)state;
  const struct {
    tune_element_type type;
    tune_fill fill;
    double least, most, reaches_down_to, reaches_up_to;
  } cases[] = {
      {TUNE_F32, TUNE_FILL_SIGNED, -1, 1, -0.99, 0.99},
      {TUNE_F64, TUNE_FILL_SIGNED, -1, 1, -0.99, 0.99},
      {TUNE_F16, TUNE_FILL_SIGNED, -1, 1, -0.99, 0.99},
      {TUNE_BF16, TUNE_FILL_SIGNED, -1, 1, -0.98, 0.98},
      {TUNE_F32, TUNE_FILL_POSITIVE, 1e-9, 1, 0.01, 0.99},
      {TUNE_I1, TUNE_FILL_SIGNED, 0, 1, 0, 1},
      {TUNE_I8, TUNE_FILL_SIGNED, -8, 7, -8, 7},
      {TUNE_I16, TUNE_FILL_SIGNED, -8, 7, -8, 7},
      {TUNE_I32, TUNE_FILL_SIGNED, 0, 4, 0, 4},
      {TUNE_I64, TUNE_FILL_SIGNED, 0, 4, 0, 4},
      {TUNE_INDEX, TUNE_FILL_SIGNED, 0, 4, 0, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_buffer a = make(cases[i].type, 2000), b = make(cases[i].type, 2000);
    size_t size = tune_element_type_size(cases[i].type);
    tune_buffer_fill(&a, 1, cases[i].fill, 5);
    tune_buffer_fill(&b, 1, cases[i].fill, 5);
    assert_memory_equal(a.data, b.data, a.size);
    tune_buffer_fill(&b, 2, cases[i].fill, 5);
    assert_memory_not_equal(a.data, b.data, a.size);
    double least = INFINITY, most = -INFINITY;
    for (size_t j = 0; j < 2000; ++j) {
      double value = tune_element_load(cases[i].type, (char *)a.data + j * size);
      least = fmin(least, value);
      most = fmax(most, value);
    }
    assert_true(least >= cases[i].least && most <= cases[i].most);
    assert_true(least <= cases[i].reaches_down_to && most >= cases[i].reaches_up_to);
    tune_buffer_deinit(&a);
    tune_buffer_deinit(&b);
  }
  tune_value_type scalar = {.element = TUNE_F32, .is_scalar = true};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    tune_buffer s;
    assert_null(tune_buffer_init(&s, &scalar));
    tune_buffer_fill(&s, seed, TUNE_FILL_SIGNED, 1);
    assert_true(*(float *)s.data > 0);
    tune_buffer_deinit(&s);
  }
}

// The values are part of what a record means: they must not change from one version to the next.
static void seeded_values_stay_what_they_are(void **state) {
  (void)state;
  tune_buffer b = make(TUNE_F32, 4);
  tune_buffer_fill(&b, 42, TUNE_FILL_SIGNED, 1);
  const float expected[] = {0x1.eeb9980000000p-2f, -0x1.5c40700000000p-1f, -0x1.c56cc00000000p-2f,
                            -0x1.3f18f00000000p-2f};
  assert_memory_equal(b.data, expected, sizeof expected);
  tune_buffer_deinit(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_parsed_and_others_refused),
      cmocka_unit_test(constants_are_those_of_the_formats),
      cmocka_unit_test(small_floats_survive_a_round_trip),
      cmocka_unit_test(small_floats_round_to_nearest_even),
      cmocka_unit_test(small_floats_are_what_the_formats_say),
      cmocka_unit_test(integers_are_loaded_with_their_sign),
      cmocka_unit_test(signatures_are_read),
      cmocka_unit_test(damaged_signatures_are_refused),
      cmocka_unit_test(buffers_are_aligned_and_zeroed),
      cmocka_unit_test(guards_notice_single_bytes),
      cmocka_unit_test(addresses_are_located),
      cmocka_unit_test(seeded_values_keep_to_their_ranges),
      cmocka_unit_test(seeded_values_stay_what_they_are),
  };
  return cmocka_run_group_tests_name("targets/types", tests, NULL, NULL);
}
