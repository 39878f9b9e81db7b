//===- signature_test.c - Signatures, written and read -----------------------===//

#include "formats/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// As records and exports have it: whoever writes it has to write these very bytes.
static const char TEXT[] =
    "{\"entry\":\"tune_entry\",\"arguments\":["
    "{\"kind\":\"tensor\",\"type\":\"bf16\",\"shape\":[-1,3],\"access\":\"read\","
    "\"measured\":[256,3]},"
    "{\"kind\":\"scalar\",\"type\":\"index\"},"
    "{\"kind\":\"tensor\",\"type\":\"i1\",\"shape\":[],\"access\":\"readwrite\"},"
    "{\"kind\":\"tensor\",\"type\":\"f32\",\"shape\":[4294967296],\"access\":\"read\","
    "\"constant\":true}],"
    "\"results\":[{\"kind\":\"tensor\",\"type\":\"f64\",\"shape\":[0,7]}],"
    "\"partial\":true,\"selects\":true,\"exact\":4503599627370497}";
static const char LEAST[] = "{\"entry\":\"e\",\"arguments\":[],\"results\":[]}";

static void a_signature_is_written_as_it_was_read(void **state) {
  (void)state;
  const char *const texts[] = {TEXT, LEAST};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    json_t *object = json_loads(texts[i], 0, NULL), *again;
    assert_non_null(object);
    tune_signature signature;
    assert_ok(tune_signature_from_json(object, &signature));
    assert_ok(tune_signature_to_json(&signature, &again));
    char *text = json_dumps(again, JSON_COMPACT);
    assert_string_equal(text, texts[i]);
    free(text);
    json_decref(object);
    json_decref(again);
    tune_signature_deinit(&signature);
  }
}

// The reader refuses them; they are written all the same, for an error that knows more.
static void scalar_results_are_found(void **state) {
  (void)state;
  tune_value_type results[] = {{.element = TUNE_F32, .rank = 1, .shape = {4}},
                               {.element = TUNE_I32, .is_scalar = true},
                               {.element = TUNE_I64, .is_scalar = true}};
  char entry[] = "e";
  tune_signature signature = {.entry = entry, .results = results, .result_count = 1}, read;
  json_t *object;
  assert_ok(tune_signature_to_json(&signature, &object));
  assert_true(tune_signature_json_find_scalar_result(object) == SIZE_MAX);
  json_decref(object);
  signature.result_count = 3;
  assert_ok(tune_signature_to_json(&signature, &object));
  assert_int_equal(tune_signature_json_find_scalar_result(object), 1);
  tune_status status = tune_signature_from_json(object, &read);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_string_equal(tune_status_get_message(status),
                      "result 1 of the signature: results are tensors");
  tune_status_free(status);
  json_decref(object);
}

// What somebody says, or else what the argument says, or else 64.
static void open_sizes_have_a_size_in_measurements(void **state) {
  (void)state;
  tune_value_type type = {
      .element = TUNE_F32, .rank = 2, .shape = {TUNE_DYNAMIC, 3}, .measured = {256, 3}};
  assert_int_equal(tune_value_type_size(&type, 0, 0), TUNE_DYNAMIC_SIZE);
  assert_int_equal(tune_value_type_size(&type, 1, 5), 3);
  type.has_measured = true;
  assert_int_equal(tune_value_type_size(&type, 0, 0), 256);
  assert_int_equal(tune_value_type_size(&type, 0, 5), 5);
}

static void a_measured_shape_is_one_that_is_allowed(void **state) {
  (void)state;
  static const char text[] =
      "{\"entry\":\"e\",\"results\":[],\"arguments\":[{\"kind\":\"tensor\",\"type\":\"f32\","
      "\"shape\":[-1,3],\"access\":\"read\",\"measured\":[256,4]}]}";
  json_t *object = json_loads(text, 0, NULL);
  tune_signature signature;
  tune_status status = tune_signature_from_json(object, &signature);
  assert_string_equal(tune_status_get_message(status),
                      "argument 0 of the signature: \"measured\" is a shape that \"shape\" allows");
  tune_status_free(status);
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_signature_is_written_as_it_was_read),
      cmocka_unit_test(scalar_results_are_found),
      cmocka_unit_test(open_sizes_have_a_size_in_measurements),
      cmocka_unit_test(a_measured_shape_is_one_that_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
